"""Template rules for EKS and HyperPod, based on the checks of these services."""

from scripts.cloud.validation.rules.registry import rules_of

from . import eks, eks_nodes, hyperpod_addons

RULES = rules_of(hyperpod_addons, eks, eks_nodes)
