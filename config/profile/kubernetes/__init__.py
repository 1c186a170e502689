"""What a profile says of a Kubernetes control plane and of what runs in it."""
