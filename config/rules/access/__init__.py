"""Rules for users, directories and sessions."""
