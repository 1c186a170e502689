"""Kubernetes: EKS, HyperPod on EKS, schedulers: their resource types."""
