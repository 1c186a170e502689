"""Upgrade tests: the current code must update the stacks of each release without losing data."""
