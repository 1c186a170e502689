"""What nodes run: scripts, images, people: their resource types."""

from scripts.cloud.resources.base import models_of

from . import ecr, ssm

MODELS = models_of(ecr, ssm)
