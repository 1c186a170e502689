"""Prices, costs, budgets, tags: in the design."""
