"""The AWS PCS report of a plan."""

from __future__ import annotations

from dataclasses import dataclass

from config.catalog import catalog
from config.design.slurm.pcs import PcsPlan
from config.records import copied


@dataclass(frozen=True, slots=True, kw_only=True)
class PcsQueueReport:
    """A PCS queue with its groups and its maximum number of nodes."""

    name: str
    groups: tuple[str, ...]
    nodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PcsReport:
    """The PCS cluster and its queues.

    `size_nodes` and `size_jobs` are the maximum of the cluster size. `dynamic` lists the groups with nodes
    that run only while jobs need them.
    """

    slurm_version: str
    size: str
    size_nodes: int
    size_jobs: int
    accounting: bool
    rest_api: bool
    queues: tuple[PcsQueueReport, ...]
    dynamic: tuple[str, ...]


def pcs_report(plan: PcsPlan) -> PcsReport:
    """Return the report of a PCS cluster."""
    size = next(size for size in catalog().pcs.sizes if size.name == plan.size)
    nodes = {group.group.name: group.max_count for group in plan.groups}
    return copied(
        PcsReport,
        plan,
        size=size.name,
        size_nodes=size.nodes,
        size_jobs=size.jobs,
        queues=tuple(
            PcsQueueReport(
                name=queue.name, groups=queue.groups, nodes=sum(nodes.get(name, 0) for name in queue.groups)
            )
            for queue in plan.queues
        ),
        dynamic=tuple(group.group.name for group in plan.groups if group.min_count == 0),
    )
