"""Network needs of a mixture of experts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from config.design.capacity.groups import GroupPlan
from config.profile.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Experts:
    """Experts on the nodes of a group. `over_efa` is true if tokens leave the NVLink domain.

    `gpus` is the number of GPUs with experts, at most one GPU per expert. `efa_gbps` is the EFA bandwidth of
    one node.
    """

    group: str
    experts: int
    nvlink_domain_gpus: int
    gpus: int
    over_efa: bool
    efa_gbps: float


def plan_experts(workload: Workload | None, groups: Sequence[GroupPlan]) -> Experts | None:
    """Return the experts on the largest GPU group; None for a dense model or without GPUs."""
    trained_on = [group for group in groups if group.role == "compute" and group.gpus]
    if workload is None or not workload.experts or not trained_on:
        return None
    group = max(trained_on, key=lambda one: one.gpus)
    gpus = min(workload.experts, group.gpus)
    return Experts(
        group=group.name,
        experts=workload.experts,
        nvlink_domain_gpus=group.nvlink_domain_gpus,
        gpus=gpus,
        over_efa=gpus > group.nvlink_domain_gpus,
        efa_gbps=group.efa_gbps,
    )
