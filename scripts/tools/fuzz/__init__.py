"""Fuzz tests: generated profiles, valid and invalid, and checks of their properties."""
