"""Prices, costs, budgets, tags: in the rules."""
