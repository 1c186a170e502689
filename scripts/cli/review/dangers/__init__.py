"""Findings of a review."""
