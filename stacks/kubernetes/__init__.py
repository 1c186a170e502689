"""Kubernetes resources of a stack, with construct props from the plans of the design."""
