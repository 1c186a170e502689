"""What is inside the embedded cloud's Kubernetes clusters: objects and releases, in the order they came."""
