"""Data types that the parts of observability share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Severity = Literal["critical", "warning", "info"]
SlurmMetrics = Literal["slurm-native", "slurm-exporter"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuNodes:
    """GPU nodes of one instance type: expected devices of each node, and the price of one GPU per hour.

    `architecture`: as in the metric table. `efa_devices`: 0 if the type has none or the number is not known.
    `dollars_per_gpu_hour`: in USD; None if the price is not known.
    """

    instance_type: str
    architecture: str
    gpus: int
    efa_devices: int
    dollars_per_gpu_hour: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Metrics of a cluster: its exporters (names of the metric table) and its GPU nodes.

    `profiling`: DCGM's profiling metrics are on. `scripts`: our node scripts run and write additional
    metrics. `checkpoint_interval_s`: checkpoint interval of the workload; None if it is not known. `elastic`:
    groups that scale with their jobs. `steady`: at least one node always runs.
    """

    cluster: str
    control_plane: str
    exporters: frozenset[str]
    gpu_nodes: tuple[GpuNodes, ...]
    profiling: bool = True
    scripts: bool = True
    interval_s: int = 30
    checkpoint_interval_s: float | None = None
    elastic: tuple[str, ...] = ()
    steady: bool = True

    @property
    def architectures(self) -> frozenset[str]:
        """Return the architectures of the GPUs."""
        return frozenset(nodes.architecture for nodes in self.gpu_nodes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A Prometheus rule: an alert with this name, or a series that Prometheus records under this name."""

    name: str
    expression: str
    kind: Literal["alert", "record"] = "alert"
    for_s: int = 0
    keep_s: int = 0
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)
    annotations: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleGroup:
    """Rules that Prometheus evaluates together, in order."""

    name: str
    rules: tuple[Rule, ...]
    interval_s: int = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboard:
    """A Grafana dashboard: `body` is its JSON, and `uid` never changes."""

    uid: str
    title: str
    body: Mapping[str, Any] = field(hash=False)
