"""Prices, costs, budgets, tags: in the catalogue."""
