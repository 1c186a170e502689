"""A cluster profile: its models and its loader."""
