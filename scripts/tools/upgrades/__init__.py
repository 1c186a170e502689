"""Stacks of each release. Each later version must update these stacks without losing data."""
