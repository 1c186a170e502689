"""Template rules for EKS and HyperPod, after the checks of the services."""

from scripts.cloud.validation.rules.registry import rules_of

from . import eks, eks_nodes, hyperpod_addons

RULES = rules_of(hyperpod_addons, eks, eks_nodes)
