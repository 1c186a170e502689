"""Spare nodes of Slurm partitions, which do not run jobs while all nodes are healthy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from config.design.capacity.groups import GroupPlan
from config.profile.model import Profile
from config.profile.slurm.pcs import Pcs


def spares_of(profile: Profile, groups: Iterable[GroupPlan]) -> Mapping[str, int]:
    """Return the number of spare nodes by partition; a group in several queues counts once, in the first."""
    found: dict[str, int] = {}
    for group in groups:
        partition = _partition(profile, group)
        if group.spare and partition is not None:
            found[partition] = found.get(partition, 0) + group.spare
    return dict(sorted(found.items()))


def _partition(profile: Profile, group: GroupPlan) -> str | None:
    orchestrator = profile.orchestrator
    if isinstance(orchestrator, Pcs) and orchestrator.queues is not None:
        return next((queue.name for queue in orchestrator.queues if group.name in queue.groups), None)
    return group.partition
