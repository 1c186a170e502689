"""Resource types of PCS and of accounting databases."""

from scripts.cloud.resources.base import models_of

from . import pcs, rds

MODELS = models_of(pcs, rds)
