"""Resource types of IAM, KMS and Secrets Manager."""

from scripts.cloud.resources.base import models_of

from . import iam, iam_federation, kms, secretsmanager

MODELS = models_of(iam, iam_federation, kms, secretsmanager)
