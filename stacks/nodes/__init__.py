"""Node parameters, metrics permissions and container images of a stack."""
