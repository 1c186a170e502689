"""Kubernetes in a stack: construct props from the plans of the design."""
