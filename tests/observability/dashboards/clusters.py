"""Clusters for dashboard tests: each control plane with each GPU family, and clusters with fewer metrics."""

from __future__ import annotations

from dataclasses import replace

from config.design.observability.model import GpuNodes, Measured

_EVERYWHERE = frozenset({"dcgm", "node", "fsx", "application", "agent", "rules"})
_SCHEDULERS = {
    "hyperpod-slurm": frozenset({"slurm-exporter"}),
    "pcs": frozenset({"slurm-native"}),
    "eks": frozenset({"kube-state", "kueue"}),
    "hyperpod-eks": frozenset({"kube-state", "kueue"}),
}
_TYPES = {
    "ampere": ("p4d.24xlarge", 4, 4.1),
    "ada": ("g6.48xlarge", 1, 1.7),
    "hopper": ("p5.48xlarge", 32, 12.3),
    "blackwell": ("p6-b200.48xlarge", 8, 14.2),
}


def _measured(control_plane: str, architectures: tuple[str, ...]) -> Measured:
    nodes = tuple(
        GpuNodes(
            instance_type=_TYPES[name][0],
            architecture=name,
            gpus=8,
            efa_devices=_TYPES[name][1],
            dollars_per_gpu_hour=_TYPES[name][2],
        )
        for name in architectures
    )
    return Measured(
        cluster=f"{control_plane}-{'-'.join(architectures)}",
        control_plane=control_plane,
        exporters=_EVERYWHERE | _SCHEDULERS[control_plane],
        gpu_nodes=nodes,
        checkpoint_interval_s=600,
    )


CLUSTERS = tuple(_measured(plane, (name,)) for plane in _SCHEDULERS for name in _TYPES)
"""Return a cluster for each control plane and GPU family."""

MIXED = _measured("eks", ("hopper", "blackwell"))
_PLAIN = CLUSTERS[2]
LEAN = (
    replace(_PLAIN, cluster="no-profiling", profiling=False),
    replace(_PLAIN, cluster="no-lustre", exporters=_PLAIN.exporters - {"fsx", "rules", "application"}),
    replace(_PLAIN, cluster="node-only", exporters=frozenset({"node", "agent"})),
    replace(
        _PLAIN,
        cluster="no-price",
        gpu_nodes=tuple(replace(nodes, dollars_per_gpu_hour=None) for nodes in _PLAIN.gpu_nodes),
    ),
    replace(
        _PLAIN,
        cluster="no-efa",
        gpu_nodes=tuple(replace(nodes, efa_devices=0) for nodes in _PLAIN.gpu_nodes),
    ),
)
"""Clusters that lack some metrics."""

QUICK = (*CLUSTERS[::5], MIXED, *LEAN)
"""Each control plane and each GPU family once, and special clusters."""

OTHERS = tuple(measured for measured in CLUSTERS if measured not in QUICK)
