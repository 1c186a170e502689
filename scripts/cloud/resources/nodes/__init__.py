"""What nodes run: scripts, images, people: their resource types."""

from . import ecr, ssm

MODELS = (*ecr.MODELS, *ssm.MODELS)
