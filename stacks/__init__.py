"""One stack for one profile: design mapped to construct props."""
