"""Profile sections for users, directories and sessions."""
