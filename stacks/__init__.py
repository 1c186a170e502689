"""The CDK stack of a profile, which maps the profile's design to construct props."""
