"""Node groups of Kubernetes: labels, taints, repair, Karpenter."""
