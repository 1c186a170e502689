"""Programs of a Kubernetes control plane, for the tests."""
