"""Fuzz tests: valid and invalid profiles, generated from the whole schema, and their properties."""
