"""Slurm's topology files: topology.conf up to 24.11, topology.yaml from 25.05 on.

https://slurm.schedmd.com/topology.conf.html and https://slurm.schedmd.com/topology.yaml.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from config.design.slurm.node_names import hostlist
from config.design.slurm.topology import Block, Switch, Topology, TopologyError

TREE, BLOCKS = "tree", "ultraservers"
"""Names of the two topologies in topology.yaml; a partition selects one with `Topology=`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopologyFile:
    """A topology file; `plugin` is the TopologyPlugin for slurm.conf, None for topology.yaml."""

    name: str
    text: str
    plugin: str | None


def topology_file(topology: Topology, slurm_version: str) -> TopologyFile:
    """Return the file for a Slurm version; raises TopologyError if the version cannot use the topology."""
    if speaks_yaml(slurm_version):
        return TopologyFile(name="topology.yaml", text="\n".join(_yaml(topology)) + "\n", plugin=None)
    if topology.switches and topology.blocks:
        raise TopologyError(
            f"Slurm {slurm_version} supports one topology for all nodes, but these nodes need two",
            "use Slurm 25.05 or newer, or put the UltraServers in a separate cluster",
        )
    if topology.blocks:
        text, plugin = _conf_blocks(topology.blocks), "topology/block"
        if _version(slurm_version) < (23, 11):
            raise TopologyError(
                f"Slurm {slurm_version} does not support block topologies", "use Slurm 23.11 or newer"
            )
    else:
        text, plugin = (_conf_switch(switch) for switch in topology.switches), "topology/tree"
    return TopologyFile(name="topology.conf", text="\n".join(text) + "\n", plugin=plugin)


def speaks_yaml(slurm_version: str) -> bool:
    """Return True if a Slurm version reads topology.yaml."""
    return _version(slurm_version) >= (25, 5)


def _version(slurm_version: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{2})\.([0-9]{2})(\.[0-9]{1,3})?", slurm_version)
    if found is None:
        raise TopologyError(f"{slurm_version[:40]!r} is not a Slurm version", 'write it like "25.05"')
    return int(found[1]), int(found[2])


def block_sizes(blocks: Sequence[Block], *, whole: bool) -> tuple[int, ...]:
    """Return the block sizes: the smallest UltraServer's nodes times 1, 2, 4 and so on.

    The largest factor is at most the number of UltraServers.

    `whole`: no UltraServer may have fewer nodes than the smallest size. Slurm versions before 25.05 require
    this. A missing spare node therefore reduces the smallest size.
    """
    units = {block.unit for block in blocks}
    base = min(units)
    for unit in sorted(units):
        if unit % base or (unit // base).bit_count() != 1:
            raise TopologyError(
                f"UltraServers of {base} and {unit} nodes: block sizes must be powers of two of the smallest",
                "put them in separate queues",
            )
    if whole:
        base = min(base, *(len(block.nodes) for block in blocks))
    return tuple(base << level for level in range(len(blocks).bit_length()))


def _conf_switch(switch: Switch) -> str:
    if switch.nodes:
        return f"SwitchName={switch.name} Nodes={hostlist(switch.nodes)}"
    return f"SwitchName={switch.name} Switches={','.join(switch.switches)}"


def _conf_blocks(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        yield f"BlockName={block.name} Nodes={hostlist(block.nodes)}"
    yield f"BlockSizes={','.join(str(size) for size in block_sizes(blocks, whole=True))}"


def _yaml(topology: Topology) -> Iterator[str]:
    """Yield the lines of the tree and the block topology; the first topology is the cluster's default."""
    yield "---"
    if topology.switches:
        yield f"- topology: {TREE}"
        yield "  cluster_default: true"
        yield "  tree:"
        yield "    switches:"
        for switch in topology.switches:
            yield f"      - switch: {switch.name}"
            below = hostlist(switch.nodes) if switch.nodes else ",".join(switch.switches)
            yield f'        {"nodes" if switch.nodes else "children"}: "{below}"'
    if topology.blocks:
        yield f"- topology: {BLOCKS}"
        yield f"  cluster_default: {'false' if topology.switches else 'true'}"
        yield "  block:"
        yield "    block_sizes:"
        for size in block_sizes(topology.blocks, whole=False):
            yield f"      - {size}"
        yield "    blocks:"
        for block in topology.blocks:
            yield f"      - block: {block.name}"
            yield f'        nodes: "{hostlist(block.nodes)}"'
