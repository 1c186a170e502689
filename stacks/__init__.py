"""CDK stack of a profile: maps the design to construct props."""
