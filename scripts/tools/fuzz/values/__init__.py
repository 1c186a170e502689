"""Values and texts that a fuzz puts into profiles."""
