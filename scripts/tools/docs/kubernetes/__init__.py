"""Kubernetes: EKS, HyperPod on EKS, schedulers: their pages."""
