"""Recommended recovery of a run after a failure: from Lustre, from memory, or from a replica."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from config.catalog import catalog

_WHOLE = 100
Way = Literal["lustre", "tiered", "checkpointless"]

WORTHWHILE = 0.01
"""Share of lost time above which recovery from memory or a replica is considered; ultracluster chose it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """The recommended recovery method, and the reason that a plan prints."""

    way: Way
    because: str


def recovery(
    *,
    control_plane: str | None,
    lost_share: float,
    restore_share: float,
    memory_percent: float | None,
    gpu_memory_percent: float | None,
) -> Recovery:
    """Return the recovery method with the least lost time among the methods that the cluster supports.

    `lost_share` is the share of time for saves, restores and repeated work. `restore_share` is the share of
    time for restores alone. `memory_percent` is the node memory that copies of tiered checkpointing use, and
    `gpu_memory_percent` the GPU memory that replicas of the state use; None without such nodes.
    """
    facts = catalog().checkpoints
    lost = f"saves and failures cost {lost_share * 100:.1f} % of the training time"
    if lost_share < WORTHWHILE:
        return Recovery(way="lustre", because=lost)
    if control_plane not in facts.tiered.control_planes:
        return Recovery(
            way="lustre",
            because=f"{lost}; HyperPod on EKS also recovers from memory or a replica, which is faster",
        )
    fits = memory_percent is not None and memory_percent <= facts.tiered.memory_percent_most
    has_room = gpu_memory_percent is not None and gpu_memory_percent <= _WHOLE
    if has_room and (restore_share >= WORTHWHILE or not fits):
        replicas = (
            f"{facts.checkpointless.replicas} replicas of the state would use {gpu_memory_percent:.0f} %"
        )
        return Recovery(way="checkpointless", because=f"{lost}; {replicas} of GPU memory")
    if fits:
        copies = f"{facts.tiered.copies} copies of a checkpoint would use only {memory_percent:.0f} %"
        return Recovery(way="tiered", because=f"{lost}; {copies} of the nodes' memory")
    return Recovery(way="lustre", because=f"{lost}; a second copy does not fit in node memory or GPU memory")
