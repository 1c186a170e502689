"""Kubernetes nodes: node groups, labels, taints, repair and Karpenter."""
