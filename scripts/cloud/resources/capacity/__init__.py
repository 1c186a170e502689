"""Resource types of capacity: launch templates, placement groups and reservations."""

from scripts.cloud.resources.base import models_of

from . import compute, resource_groups

MODELS = models_of(compute, resource_groups)
