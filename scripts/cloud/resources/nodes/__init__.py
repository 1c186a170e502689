"""Resource types of Systems Manager and ECR."""

from scripts.cloud.resources.base import models_of

from . import ecr, ssm

MODELS = models_of(ecr, ssm)
