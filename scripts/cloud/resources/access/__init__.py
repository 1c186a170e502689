"""People, directories, sessions: their resource types."""

from . import iam, iam_federation, kms, secretsmanager

MODELS = (*iam.MODELS, *iam_federation.MODELS, *kms.MODELS, *secretsmanager.MODELS)
