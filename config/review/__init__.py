"""Codes of a review, and the resource types with data."""
