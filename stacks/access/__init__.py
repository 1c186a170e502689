"""Stack parts for users and sessions."""
