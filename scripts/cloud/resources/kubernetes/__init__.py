"""CloudFormation resource types of EKS and HyperPod."""

from scripts.cloud.resources.base import models_of

from . import eks, eks_access, hyperpod

MODELS = models_of(eks, eks_access, hyperpod)
