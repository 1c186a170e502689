"""AWS ParallelCluster configuration of a design."""

from config.design.report.parallelcluster.document import Written, configuration
from config.design.report.parallelcluster.ids import KnownIds, UnknownId, subnet_names

__all__ = ["KnownIds", "UnknownId", "Written", "configuration", "subnet_names"]
