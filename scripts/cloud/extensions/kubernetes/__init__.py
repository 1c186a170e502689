"""Kubernetes: EKS, HyperPod on EKS, schedulers: what moto lacks of them."""
