"""Design of a Kubernetes control plane and of its contents."""
