"""The GPUs of a training run, with their rates, memory and bandwidth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from config.design.capacity.groups import GroupPlan
from config.profile.workload import Precision

_TERA, _GIGA = 1e12, 1e9
_BOTH_WAYS, _BITS = 2, 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Machines:
    """One group of equal nodes. Bandwidth is for one GPU and direction, in bytes/s; None if not published.

    `domain_gpus` is the number of GPUs that jobs can use in an NVLink domain, without the spare nodes of an
    UltraServer. `efa_per_s` is 0 without EFA.
    """

    group: str
    instance_type: str
    gpu: str
    nodes: int
    gpus_per_node: int
    domain_gpus: int
    memory_gib: float
    bf16_tflops: float | None
    tflops: float | None
    hbm_per_s: float | None
    nvlink_per_s: float | None
    efa_per_s: float

    @property
    def gpus(self) -> int:
        """Number of GPUs on all nodes that jobs can use."""
        return self.nodes * self.gpus_per_node


def machines_for(groups: Sequence[GroupPlan], precision: Precision) -> Machines | None:
    """Return the largest GPU group, because a run uses this group; None without GPUs."""
    trained_on = [group for group in groups if group.role == "compute" and group.usable and group.gpus]
    if not trained_on:
        return None
    group = max(trained_on, key=lambda one: one.usable * _of_a_node(one))
    fit = group.instance_type.gpu
    if fit is None:
        return None
    gpu = fit.gpu
    tflops = {"bf16": gpu.bf16_tflops, "fp8": gpu.fp8_tflops, "fp4": gpu.fp4_tflops}
    nvlink = gpu.nvlink_gb_per_s_per_gpu
    return Machines(
        group=group.name,
        instance_type=group.instance_type.name,
        gpu=gpu.model,
        nodes=group.usable,
        gpus_per_node=fit.count,
        domain_gpus=_domain(group, fit.count),
        memory_gib=fit.memory_gib_each,
        bf16_tflops=gpu.bf16_tflops,
        tflops=tflops[precision],
        hbm_per_s=gpu.hbm_tb_per_s * _TERA if gpu.hbm_tb_per_s else None,
        nvlink_per_s=nvlink * _GIGA / _BOTH_WAYS if nvlink else None,
        efa_per_s=group.efa_gbps * _GIGA / _BITS / fit.count,
    )


def _of_a_node(group: GroupPlan) -> int:
    return group.instance_type.gpu.count if group.instance_type.gpu else 0


def _domain(group: GroupPlan, gpus_per_node: int) -> int:
    """Return the GPUs of one domain that jobs can use; all UltraServers have the same number."""
    if not group.ultraservers:
        return max(1, group.nvlink_domain_gpus)
    nodes = max(1, group.usable // group.ultraservers)
    return max(1, min(group.nvlink_domain_gpus, nodes * gpus_per_node))
