"""Generated documentation pages of the Kubernetes charts."""
