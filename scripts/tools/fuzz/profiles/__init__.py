"""Generated profiles, by room."""
