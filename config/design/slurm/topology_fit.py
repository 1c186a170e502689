"""Fit of a job under one leaf switch or in one UltraServer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from config.design.slurm.topology import Topology


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Best location of a job with `nodes` nodes.

    `group` is the smallest leaf switch or UltraServer that has enough nodes, and `chosen` lists nodes in it.
    `group` is None if none has enough nodes. `spans` is then the minimum number of leaf switches or
    UltraServers that the job needs, 0 if there are not enough nodes at all.
    """

    nodes: int
    group: str | None
    chosen: tuple[str, ...]
    spans: int


def fit(topology: Topology, nodes: int) -> Fit:
    """Return the smallest group with enough nodes, so that larger groups remain free; if equal, by name."""
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
    """Return the minimum number of leaves in one network, or of UltraServers, for the job."""
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
    """Return the sizes of the leaves under each top switch."""
    above = {child: switch.name for switch in topology.switches for child in switch.switches}
    sizes: dict[str, list[int]] = {}
    for leaf in topology.leaves:
        root = leaf.name
        while root in above:
            root = above[root]
        sizes.setdefault(root, []).append(len(leaf.nodes))
    return list(sizes.values())
