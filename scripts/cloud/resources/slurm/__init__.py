"""Slurm: HyperPod with Slurm, AWS PCS, AWS ParallelCluster: their resource types."""

from scripts.cloud.resources.base import models_of

from . import pcs, rds

MODELS = models_of(pcs, rds)
