"""An AWS ParallelCluster configuration from the same profile: what a design becomes in its keys."""

from config.design.slurm.parallelcluster.document import Written, configuration
from config.design.slurm.parallelcluster.ids import Given, Unknown, subnet_names

__all__ = ["Given", "Unknown", "Written", "configuration", "subnet_names"]
