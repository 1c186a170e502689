"""Rules for container images."""
