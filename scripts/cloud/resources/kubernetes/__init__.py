"""Kubernetes: EKS, HyperPod on EKS, schedulers: their resource types."""

from . import eks, eks_access, hyperpod

MODELS = (*eks.MODELS, *eks_access.MODELS, *hyperpod.MODELS)
