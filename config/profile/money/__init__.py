"""Profile models for budgets and tags."""
