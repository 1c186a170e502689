"""Kubernetes in a stack: plans of the design as properties of constructs."""
