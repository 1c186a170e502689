"""What follows from a profile for a Kubernetes control plane and what runs in it."""
