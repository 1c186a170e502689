"""Clusters of each control plane, with GPUs of both NVLink generations."""

from __future__ import annotations

from collections.abc import Mapping

from config.design.observability.model import GpuNodes, Measured

B200 = GpuNodes(
    instance_type="p6-b200.48xlarge",
    architecture="blackwell",
    gpus=8,
    efa_devices=8,
    dollars_per_gpu_hour=10.0,
)
H200 = GpuNodes(
    instance_type="p5en.48xlarge",
    architecture="hopper",
    gpus=8,
    efa_devices=16,
    dollars_per_gpu_hour=None,
)
_NODES = {"dcgm", "node", "application", "agent"}


def _cluster(plane: str, nodes: GpuNodes, *exporters: str) -> Measured:
    return Measured(
        cluster="c",
        control_plane=plane,
        exporters=frozenset({*_NODES, *exporters}),
        gpu_nodes=(nodes,),
    )


CLUSTERS: Mapping[str, Measured] = {
    "hyperpod-slurm on p5en": _cluster("hyperpod-slurm", H200, "slurm-exporter", "fsx"),
    "pcs on p6-b200": _cluster("pcs", B200, "slurm-native", "fsx"),
    "eks on p6-b200": _cluster("eks", B200, "kube-state", "kueue", "fsx"),
    "hyperpod-eks on p5en": _cluster("hyperpod-eks", H200, "kube-state", "kueue", "fsx"),
}
