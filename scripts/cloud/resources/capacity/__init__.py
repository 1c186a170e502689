"""Groups of machines: how they are bought, reserved, rotated and kept spare: their resource types."""

from scripts.cloud.resources.base import models_of

from . import compute, resource_groups

MODELS = models_of(compute, resource_groups)
