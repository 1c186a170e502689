"""People, directories, sessions: in a stack."""
