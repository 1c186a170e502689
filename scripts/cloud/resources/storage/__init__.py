"""Resource types of storage: file systems, associations and buckets."""

from scripts.cloud.resources.base import models_of

from . import fsx, s3, s3_express

MODELS = models_of(fsx, s3, s3_express)
