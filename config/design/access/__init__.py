"""People, directories, sessions: in the design."""
