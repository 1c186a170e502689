"""How a run best comes back after a failure: from Lustre, from memory, or from a replica."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from config.catalog import catalog

_WHOLE = 100
Way = Literal["lustre", "tiered", "checkpointless"]

WORTHWHILE = 0.01
"""From this share of the time on, look beyond Lustre: a choice of ours, not a figure of AWS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """The better way, and why: a sentence for a plan."""

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
    """The way that loses least, of those that the cluster can go.

    `lost_share` of the time goes to saves, restores and work done twice, `restore_share` of it to restores
    alone. The percentages are what the copies of tiered checkpointing take of the nodes' memory, and replicas
    of the state of the GPUs' memory; None where there are no such machines.
    """
    facts = catalog().checkpoints
    lost = f"saves and failures cost {lost_share * 100:.1f} % of the time"
    if lost_share < WORTHWHILE:
        return Recovery(way="lustre", because=lost)
    if control_plane not in facts.tiered.control_planes:
        return Recovery(
            way="lustre",
            because=f"{lost}; HyperPod on EKS can recover from memory or from a replica, which loses less",
        )
    fits = memory_percent is not None and memory_percent <= facts.tiered.memory_percent_most
    has_room = gpu_memory_percent is not None and gpu_memory_percent <= _WHOLE
    if has_room and (restore_share >= WORTHWHILE or not fits):
        replicas = f"{facts.checkpointless.replicas} replicas of the state take {gpu_memory_percent:.0f} %"
        return Recovery(way="checkpointless", because=f"{lost}; {replicas} of GPU memory")
    if fits:
        copies = f"{facts.tiered.copies} copies of a checkpoint take {memory_percent:.0f} %"
        return Recovery(way="tiered", because=f"{lost}; {copies} of the nodes' memory")
    return Recovery(way="lustre", because=f"{lost}; a second copy fits into no memory of the cluster")
