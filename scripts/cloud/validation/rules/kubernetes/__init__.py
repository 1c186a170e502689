"""Kubernetes: EKS, HyperPod on EKS, schedulers: what services refuse of them."""
