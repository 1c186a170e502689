"""Clusters whose dashboards are looked at: every control plane with every family of GPUs, and lean ones."""

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
"""One for each control plane and family."""

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
"""Those that lack something."""

QUICK = (*CLUSTERS[::5], MIXED, *LEAN)
"""Each control plane and each family once, and what is out of the ordinary."""

OTHERS = tuple(measured for measured in CLUSTERS if measured not in QUICK)
