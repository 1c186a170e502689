"""The scheduler of a Kubernetes cluster: who admits jobs whole, and where their pods are placed."""
