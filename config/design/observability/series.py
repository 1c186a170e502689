"""Estimate of the number of series and samples of a cluster, from the metric table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from config.catalog.observability.metrics import Metric
from config.design.capacity.groups import GroupPlan
from config.design.observability.names import measured_metrics
from config.design.observability.plan import ObservabilityPlan

_DAY_S = 86400
_CPU_MODES = 8
"""Number of CPU modes (user, nice, system, idle, iowait, irq, softirq, steal); each CPU has one series for
each mode (https://github.com/prometheus/node_exporter/blob/master/collector/cpu_linux.go)."""


def series_of(groups: Sequence[GroupPlan], plan: ObservabilityPlan) -> int:
    """Return the number of series of the nodes, without series of pods, jobs and file systems."""
    return sum(_series(groups, plan))


def samples_a_day(groups: Sequence[GroupPlan], plan: ObservabilityPlan) -> int:
    """Return the number of samples of these series per day, by which AMP bills."""
    return series_of(groups, plan) * _DAY_S // plan.measured.interval_s


def _series(groups: Sequence[GroupPlan], plan: ObservabilityPlan) -> Iterator[int]:
    for row in measured_metrics(plan.measured):
        for group in groups if row.exporter in ("dcgm", "node") else ():
            yield group.count * _on_a_node(row, group)


def _on_a_node(row: Metric, group: GroupPlan) -> int:
    """Return the number of series of a metric on one node of a group."""
    gpu = group.instance_type.gpu
    if row.exporter == "dcgm":
        has = gpu is not None and (not row.architectures or gpu.gpu.architecture in row.architectures)
        return gpu.count if gpu is not None and has else 0
    if "cpu" in row.labels:
        return group.instance_type.vcpus * _CPU_MODES
    return group.efa_per_node if row.key.startswith("efa_") else 1
