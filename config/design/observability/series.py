"""How many series and samples the nodes of a cluster give: an estimate from the metric table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from config.catalog.observability.metrics import Metric
from config.design.capacity.groups import GroupPlan
from config.design.observability.names import measured_metrics
from config.design.observability.plan import ObservabilityPlan

_DAY_S = 86400
_CPU_MODES = 8
"""user, nice, system, idle, iowait, irq, softirq, steal: a series of each for every processor
(https://github.com/prometheus/node_exporter/blob/master/collector/cpu_linux.go)."""


def series_of(groups: Sequence[GroupPlan], plan: ObservabilityPlan) -> int:
    """Series of the nodes; those of pods, jobs and file systems are not counted."""
    return sum(_series(groups, plan))


def samples_a_day(groups: Sequence[GroupPlan], plan: ObservabilityPlan) -> int:
    """Samples of those series in a day: AMP bills by samples."""
    return series_of(groups, plan) * _DAY_S // plan.measured.interval_s


def _series(groups: Sequence[GroupPlan], plan: ObservabilityPlan) -> Iterator[int]:
    for row in measured_metrics(plan.measured):
        for group in groups if row.exporter in ("dcgm", "node") else ():
            yield group.count * _on_a_node(row, group)


def _on_a_node(row: Metric, group: GroupPlan) -> int:
    """How many series of a metric one node of a group has."""
    gpu = group.instance_type.gpu
    if row.exporter == "dcgm":
        has = gpu is not None and (not row.architectures or gpu.gpu.architecture in row.architectures)
        return gpu.count if gpu is not None and has else 0
    if "cpu" in row.labels:
        return group.instance_type.vcpus * _CPU_MODES
    return group.efa_per_node if row.key.startswith("efa_") else 1
