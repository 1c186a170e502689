"""Fuzz tests: generated valid and invalid profiles over the whole schema, and the properties of each."""
