"""Profile keys of Kubernetes control planes and cluster contents."""
