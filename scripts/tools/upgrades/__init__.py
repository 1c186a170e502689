"""What releases deployed, kept: every later version must update it without losing anything."""
