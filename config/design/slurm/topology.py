"""Where nodes stand in the network, from what EC2 tells of its instances to the switches and blocks of Slurm.

The answer of DescribeInstanceTopology lists the network nodes above an instance from the widest to the one
that it is connected to, and for the machines of an UltraServer which of them share one NVLink domain
(https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceTopology.html).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from config.catalog import catalog
from config.design.slurm.node_names import in_order
from config.diagnostics import HintedError

UNPLACED = "unplaced"
"""The leaf of nodes that EC2 tells no place of: a node without a switch takes no part in jobs of several."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_MOST_LAYERS = 16
"""Far more than the three or four that EC2 has."""
_AS_PRINTED = "give the answer as AWS printed it, in JSON"


class TopologyError(HintedError, ValueError):
    """What was given is no topology; the message says why, `hint` what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedNode:
    """A node and its network nodes, the widest first; `domain` is its UltraServer's, None without one."""

    name: str
    network_nodes: tuple[str, ...] = ()
    zone: str | None = None
    instance_type: str | None = None
    domain: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """A switch of Slurm's tree: a leaf has nodes, any other one switches."""

    name: str
    nodes: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Nodes in one NVLink domain, and how many of them the whole UltraServer has."""

    name: str
    nodes: tuple[str, ...]
    unit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """The switches of the nodes that have a network of their own, and the blocks of those in UltraServers.

    Switches come before those that they hang under. Every node is in exactly one leaf or block.
    """

    switches: tuple[Switch, ...] = ()
    blocks: tuple[Block, ...] = ()

    @property
    def leaves(self) -> tuple[Switch, ...]:
        """The switches that nodes are connected to."""
        return tuple(switch for switch in self.switches if switch.nodes)


def read_topology(answer: Any, names: Mapping[str, str] | None = None) -> tuple[PlacedNode, ...]:
    """The nodes of an answer of DescribeInstanceTopology, as the AWS CLI prints it.

    `names` are the nodes' names in Slurm by instance id; without it the ids are the names, and with it an
    instance that is no node of the cluster is left out.
    """
    instances = answer.get("Instances") if isinstance(answer, dict) else None
    if not isinstance(instances, list):
        raise TopologyError(
            "no `Instances`: this is not the answer of describe-instance-topology",
            "give what `aws ec2 describe-instance-topology --output json` prints",
        )
    if not instances:
        raise TopologyError(
            "`Instances` is empty: EC2 knows no machine that was asked for",
            "look at the Region, the placement group and the filters, and whether the machines run",
        )
    found: dict[str, PlacedNode] = {}
    for instance in instances:
        node = _node(instance, names)
        if node is not None and found.setdefault(node.name, node) != node:
            raise TopologyError(
                f"two places are given for {node.name}", "ask EC2 again, and give one answer alone"
            )
    for name in sorted(set((names or {}).values()) - found.keys()):
        found[name] = PlacedNode(name=name)
    return tuple(found[name] for name in in_order(found))


def _node(instance: Any, names: Mapping[str, str] | None) -> PlacedNode | None:
    if not isinstance(instance, dict) or not isinstance(instance.get("InstanceId"), str):
        raise TopologyError("an instance without `InstanceId`", _AS_PRINTED)
    own = instance["InstanceId"]
    layers = instance.get("NetworkNodes") or []
    if not isinstance(layers, list) or not all(isinstance(layer, str) for layer in layers):
        raise TopologyError(f"`NetworkNodes` of {own} is no list of names", _AS_PRINTED)
    if len(layers) > _MOST_LAYERS:
        raise TopologyError(f"`NetworkNodes` of {own} has {len(layers)} layers", _AS_PRINTED)
    for layer in layers:
        if layer == UNPLACED or layer.startswith("zone-"):
            raise TopologyError(f"a network node is named {layer}, as one of ours", _AS_PRINTED)
        _plain(layer, "NetworkNodes", own)
    name = own if names is None else names.get(own)
    if name is None:
        return None
    kind, domain = _text(instance, "InstanceType"), _text(instance, "CapacityBlockId")
    if kind in catalog().instances and not catalog().units_of(kind or ""):
        domain = None  # a Capacity Block of other machines is no NVLink domain
    return PlacedNode(
        name=_plain(name, "name", own),
        network_nodes=tuple(layers),
        zone=_text(instance, "ZoneId") or _text(instance, "AvailabilityZone"),
        instance_type=kind,
        domain=domain,
    )


def _text(instance: Mapping[str, Any], key: str) -> str | None:
    value = instance.get(key)
    if value is None or value == "":
        return None
    return _plain(value, key, instance["InstanceId"])


def _plain(value: Any, key: str, instance: str) -> str:
    """Names go into Slurm's files as they are: anything but a plain word would mean something else there."""
    if not isinstance(value, str) or _NAME.fullmatch(value) is None:
        raise TopologyError(f"`{key}` of {instance} is no plain name", _AS_PRINTED)
    return value


def plan_topology(nodes: Sequence[PlacedNode]) -> Topology:
    """Switches and blocks; raises TopologyError where the places contradict each other."""
    for node in nodes:
        if node.domain is None and _units(node):
            # EC2's answers follow a launch with some delay (API_DescribeInstanceTopology)
            raise TopologyError(
                f"{node.name} is of an UltraServer, but EC2 does not say of which one yet",
                "ask EC2 again in a few minutes",
            )
    return Topology(
        switches=_switches([node for node in nodes if node.domain is None]),
        blocks=_blocks([node for node in nodes if node.domain is not None]),
    )


def _units(node: PlacedNode) -> list[int]:
    """How many machines the UltraServers of a node's type have, the smallest first."""
    units = catalog().units_of(node.instance_type or "").values()
    return sorted(unit.instances for unit in units)


def _blocks(nodes: Sequence[PlacedNode]) -> tuple[Block, ...]:
    members: dict[str, list[PlacedNode]] = {}
    for node in nodes:
        members.setdefault(node.domain or "", []).append(node)
    return tuple(_block(domain, members[domain]) for domain in sorted(members))


def _block(domain: str, nodes: Sequence[PlacedNode]) -> Block:
    units = _units(nodes[0])
    unit = next((unit for unit in units if unit >= len(nodes)), None)
    if units and unit is None:
        raise TopologyError(
            f"{len(nodes)} nodes are said to be in {domain}, "
            f"an UltraServer of {nodes[0].instance_type} has {units[-1]} at most",
            "ask EC2 again, and give its whole answer",
        )
    return Block(name=domain, nodes=tuple(in_order(node.name for node in nodes)), unit=unit or len(nodes))


def _switches(nodes: Sequence[PlacedNode]) -> tuple[Switch, ...]:
    """The tree of each zone: EFA does not leave a zone, so no switch is above two of them."""
    parents: dict[str, str] = {}
    members: dict[str, list[str]] = {}
    for node in nodes:
        for above, below in pairwise(node.network_nodes):
            if parents.setdefault(below, above) != above:
                raise TopologyError(
                    f"network node {below} is said to be under {above} and under {parents[below]}",
                    "ask EC2 again, and give one answer alone",
                )
        if node.network_nodes:
            members.setdefault(node.network_nodes[-1], []).append(node.name)
    _refuse_nodes_on_both(members, parents)
    _refuse_roots_below(nodes, parents)
    lost = [node.name for node in nodes if not node.network_nodes]
    leaves = [Switch(name=leaf, nodes=tuple(in_order(names))) for leaf, names in sorted(members.items())]
    if lost:
        leaves.append(Switch(name=UNPLACED, nodes=tuple(in_order(lost))))
    zones = {node.network_nodes[0]: node.zone or "" for node in nodes if node.network_nodes}
    return (*leaves, *_above(parents), *_roots(zones, lost=bool(lost)))


def _refuse_nodes_on_both(members: Mapping[str, object], parents: Mapping[str, str]) -> None:
    """A switch of Slurm has nodes or switches, not both."""
    both = sorted(set(members) & set(parents.values()))
    if both:
        raise TopologyError(
            f"network node {both[0]} has instances and further network nodes under it",
            "give the instances of one family at a time: the families stand in networks of other depths",
        )


def _refuse_roots_below(nodes: Sequence[PlacedNode], parents: Mapping[str, str]) -> None:
    """The widest network node of one instance is under no other: else some lists run the other way."""
    for node in nodes:
        if node.network_nodes and node.network_nodes[0] in parents:
            top = node.network_nodes[0]
            raise TopologyError(
                f"network node {top} is the widest of {node.name}, and under {parents[top]} for others",
                "give the answer as AWS printed it, in JSON",
            )


def _above(parents: Mapping[str, str]) -> list[Switch]:
    """The switches above others, the nearest to the nodes first."""
    children: dict[str, list[str]] = {}
    for below, above in sorted(parents.items()):
        children.setdefault(above, []).append(below)

    def height(name: str) -> int:
        return 1 + max((height(child) for child in children.get(name, ())), default=-1)

    found = [Switch(name=name, switches=tuple(below)) for name, below in children.items()]
    return sorted(found, key=lambda switch: (height(switch.name), switch.name))


def _roots(zones: Mapping[str, str], *, lost: bool) -> list[Switch]:
    """One switch above all of a zone; nodes without a place hang there too where there is one zone alone."""
    tops: dict[str, list[str]] = {}
    for top, zone in sorted(zones.items()):
        tops.setdefault(zone, []).append(top)
    if lost and len(tops) == 1:
        tops[next(iter(tops))].append(UNPLACED)
    return [
        Switch(name=f"zone-{zone}" if zone else "zone", switches=tuple(names))
        for zone, names in sorted(tops.items())
        if len(names) > 1
    ]
