"""Properties that must be true for each generated profile."""
