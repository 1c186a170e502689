"""Constructs for budgets."""

from ultracluster.money.monthly_budget import BudgetNotice, MonthlyBudget, MonthlyBudgetProps

__all__ = ["BudgetNotice", "MonthlyBudget", "MonthlyBudgetProps"]
