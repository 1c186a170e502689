"""Generators of the catalogue page."""
