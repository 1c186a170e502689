"""Costs and budgets of a design."""
