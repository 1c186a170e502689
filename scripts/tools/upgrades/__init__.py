"""Stacks of each release. Each later version must update them without losing data."""
