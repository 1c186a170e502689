"""Slurm: HyperPod with Slurm, AWS PCS, AWS ParallelCluster: what moto lacks of them."""

from . import databases

EXTENSIONS = (databases,)
