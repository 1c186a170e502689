"""Kubernetes: EKS, HyperPod on EKS, schedulers: what services refuse of them."""

from . import eks, eks_nodes, hyperpod_addons

RULES = (*hyperpod_addons.RULES, *eks.RULES, *eks_nodes.RULES)
