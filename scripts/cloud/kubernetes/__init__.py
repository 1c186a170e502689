"""Contents of the embedded cloud's Kubernetes clusters: objects and releases, with their history."""
