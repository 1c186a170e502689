"""Kubernetes: EKS, HyperPod on EKS, schedulers: what moto lacks of them."""

from . import governance, hyperpod

EXTENSIONS = (governance, hyperpod)
