"""Extensions of moto for EKS and HyperPod on EKS."""

from . import governance, hyperpod

EXTENSIONS = (governance, hyperpod)
