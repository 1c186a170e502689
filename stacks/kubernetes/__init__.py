"""Kubernetes: EKS, HyperPod on EKS, schedulers: in a stack."""
