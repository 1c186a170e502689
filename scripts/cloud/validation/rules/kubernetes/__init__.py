"""Kubernetes: EKS, HyperPod on EKS, schedulers: what services refuse of them."""

from scripts.cloud.validation.rules.registry import rules_of

from . import eks, eks_nodes, hyperpod_addons

RULES = rules_of(hyperpod_addons, eks, eks_nodes)
