"""Slurm: HyperPod with Slurm, AWS PCS, AWS ParallelCluster: their resource types."""

from . import pcs, rds

MODELS = (*pcs.MODELS, *rds.MODELS)
