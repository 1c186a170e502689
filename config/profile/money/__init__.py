"""Prices, costs, budgets, tags: in a profile."""
