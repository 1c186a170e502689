"""What the parts of observability hand each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Severity = Literal["critical", "warning", "info"]
SlurmMetrics = Literal["slurm-native", "slurm-exporter"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuNodes:
    """GPU nodes of one instance type: what each should have, and what an hour of one GPU costs.

    `architecture` as in the metric table; `efa_devices` 0 where the type has none or nobody says how many;
    `dollars_per_gpu_hour` None where no price is known.
    """

    instance_type: str
    architecture: str
    gpus: int
    efa_devices: int
    dollars_per_gpu_hour: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What is measured in a cluster: the exporters that run there (names of the metric table) and its nodes.

    `profiling`: DCGM's profiling metrics are on. `scripts`: ours run on nodes, and write what no exporter
    shows. `checkpoint_interval_s`: how often a run saves, where the workload says so. `elastic`: groups whose
    nodes come and go with their jobs. `steady`: some node is always there.
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
        """Architectures of the GPUs."""
        return frozenset(nodes.architecture for nodes in self.gpu_nodes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule of Prometheus: an alert, or a series that is recorded under `name`."""

    name: str
    expression: str
    kind: Literal["alert", "record"] = "alert"
    for_s: int = 0
    keep_s: int = 0
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)
    annotations: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleGroup:
    """Rules that are evaluated together, one after the other."""

    name: str
    rules: tuple[Rule, ...]
    interval_s: int = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboard:
    """A dashboard of Grafana: `body` is its JSON, `uid` never changes."""

    uid: str
    title: str
    body: Mapping[str, Any] = field(hash=False)
