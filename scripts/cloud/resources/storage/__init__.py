"""File systems, data repositories, buckets and local disks: their resource types."""

from . import fsx, s3, s3_express

MODELS = (*fsx.MODELS, *s3.MODELS, *s3_express.MODELS)
