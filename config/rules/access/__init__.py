"""People, directories, sessions: in the rules."""
