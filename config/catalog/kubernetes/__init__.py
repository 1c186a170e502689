"""Kubernetes: EKS, HyperPod on EKS, schedulers: in the catalogue."""
