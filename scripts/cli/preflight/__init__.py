"""Compare an account with a profile before a deployment."""
