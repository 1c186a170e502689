"""Rules for budgets and tags."""
