"""An AWS ParallelCluster configuration from the same profile: what a design becomes in its keys."""

from config.design.report.parallelcluster.document import Written, configuration
from config.design.report.parallelcluster.ids import Given, Unknown, subnet_names

__all__ = ["Given", "Unknown", "Written", "configuration", "subnet_names"]
