"""Whether a job of so many nodes stands under one leaf switch or in one UltraServer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from config.design.slurm.topology import Topology


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Where a job of `nodes` nodes goes best.

    `group` is the smallest leaf or UltraServer that holds it, with the nodes to take; None where none does,
    and then `spans` is the least number of them that do, 0 where all nodes together are too few.
    """

    nodes: int
    group: str | None
    chosen: tuple[str, ...]
    spans: int


def fit(topology: Topology, nodes: int) -> Fit:
    """The place of a job: the smallest that fits, so that the others stay whole; then the first by name."""
    groups: Mapping[str, Sequence[str]] = {
        **{leaf.name: leaf.nodes for leaf in topology.leaves},
        **{block.name: block.nodes for block in topology.blocks},
    }
    fitting = sorted((len(members), name) for name, members in groups.items() if len(members) >= nodes)
    if fitting:
        name = fitting[0][1]
        return Fit(nodes=nodes, group=name, chosen=tuple(groups[name][:nodes]), spans=1)
    return Fit(nodes=nodes, group=None, chosen=(), spans=_fewest(topology, nodes))


def _fewest(topology: Topology, nodes: int) -> int:
    """The fewest leaves of one network, or UltraServers, that hold the job: the largest ones first."""
    networks = [*_networks(topology), [len(block.nodes) for block in topology.blocks]]
    found = [count for sizes in networks if (count := _count(sizes, nodes))]
    return min(found, default=0)


def _count(sizes: Sequence[int], nodes: int) -> int:
    held = 0
    for count, size in enumerate(sorted(sizes, reverse=True), start=1):
        held += size
        if held >= nodes:
            return count
    return 0


def _networks(topology: Topology) -> list[list[int]]:
    """The sizes of the leaves under each switch that hangs under no other."""
    above = {child: switch.name for switch in topology.switches for child in switch.switches}
    sizes: dict[str, list[int]] = {}
    for leaf in topology.leaves:
        root = leaf.name
        while root in above:
            root = above[root]
        sizes.setdefault(root, []).append(len(leaf.nodes))
    return list(sizes.values())
