"""Catalogue of EKS, HyperPod on EKS, charts and cluster components."""
