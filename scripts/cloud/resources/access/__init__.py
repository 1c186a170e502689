"""People, directories, sessions: their resource types."""
