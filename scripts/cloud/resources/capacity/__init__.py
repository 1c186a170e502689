"""Groups of machines: how they are bought, reserved, rotated and kept spare: their resource types."""

from . import compute, resource_groups

MODELS = (*compute.MODELS, *resource_groups.MODELS)
