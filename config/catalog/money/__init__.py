"""Service prices of the catalogue."""
