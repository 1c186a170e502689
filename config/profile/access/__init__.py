"""People, directories, sessions: in a profile."""
