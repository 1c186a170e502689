"""AWS ParallelCluster configuration of a design."""

from config.design.report.parallelcluster.document import Written, configuration
from config.design.report.parallelcluster.ids import Given, Unknown, subnet_names

__all__ = ["Given", "Unknown", "Written", "configuration", "subnet_names"]
