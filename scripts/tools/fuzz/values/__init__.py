"""Values and texts that fuzz tests put into profiles."""
