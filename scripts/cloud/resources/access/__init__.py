"""People, directories, sessions: their resource types."""

from scripts.cloud.resources.base import models_of

from . import iam, iam_federation, kms, secretsmanager

MODELS = models_of(iam, iam_federation, kms, secretsmanager)
