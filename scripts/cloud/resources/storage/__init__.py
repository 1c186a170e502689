"""File systems, data repositories, buckets and local disks: their resource types."""

from scripts.cloud.resources.base import models_of

from . import fsx, s3, s3_express

MODELS = models_of(fsx, s3, s3_express)
