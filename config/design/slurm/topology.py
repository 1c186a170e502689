"""Network topology of nodes: from EC2's instance topology to Slurm's tree and block topology.

DescribeInstanceTopology lists the network nodes above an instance, from the top layer to the one that the
instance is connected to. For instances of an UltraServer, it also returns the NVLink domain
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
"""Leaf switch of nodes without a location in EC2: Slurm does not run multi-node jobs on a node without a
switch."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_MOST_LAYERS = 16
"""Maximum number of layers that the input may have; EC2 has three or four layers."""
_AS_PRINTED = "pass the JSON output of the AWS CLI unchanged"


class TopologyError(HintedError, ValueError):
    """The input is not a valid topology; `hint` is the correction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedNode:
    """A node and its network nodes, top layer first; `domain` is its UltraServer, None if it has none."""

    name: str
    network_nodes: tuple[str, ...] = ()
    zone: str | None = None
    instance_type: str | None = None
    domain: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """A switch in Slurm's tree: a leaf has nodes, other switches have switches."""

    name: str
    nodes: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The nodes in one UltraServer; `unit` is the number of nodes that a whole UltraServer has."""

    name: str
    nodes: tuple[str, ...]
    unit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """Tree of the nodes by their location in the EC2 network, and block topology of UltraServer nodes.

    Switches are listed before their parents. Every node is in exactly one leaf switch or UltraServer.
    """

    switches: tuple[Switch, ...] = ()
    blocks: tuple[Block, ...] = ()

    @property
    def leaves(self) -> tuple[Switch, ...]:
        """Switches with nodes."""
        return tuple(switch for switch in self.switches if switch.nodes)


def read_topology(answer: Any, names: Mapping[str, str] | None = None) -> tuple[PlacedNode, ...]:
    """Return the nodes in the output of `aws ec2 describe-instance-topology`.

    `names` maps instance ids to Slurm node names. Without `names`, the ids are the names. With `names`,
    instances that are not in the map are skipped.
    """
    instances = answer.get("Instances") if isinstance(answer, dict) else None
    if not isinstance(instances, list):
        raise TopologyError(
            "the input has no `Instances`, so it is not the output of describe-instance-topology",
            "pass the output of `aws ec2 describe-instance-topology --output json`",
        )
    if not instances:
        raise TopologyError(
            "`Instances` is empty: EC2 found no instance for the request",
            "check the Region, the placement group and the filters, and that the instances run",
        )
    found: dict[str, PlacedNode] = {}
    for instance in instances:
        node = _node(instance, names)
        if node is not None and found.setdefault(node.name, node) != node:
            raise TopologyError(
                f"the input has two locations for {node.name}", "query EC2 again, and pass one output only"
            )
    for name in sorted(set((names or {}).values()) - found.keys()):
        found[name] = PlacedNode(name=name)
    return tuple(found[name] for name in in_order(found))


def _node(instance: Any, names: Mapping[str, str] | None) -> PlacedNode | None:
    if not isinstance(instance, dict) or not isinstance(instance.get("InstanceId"), str):
        raise TopologyError("an instance has no `InstanceId`", _AS_PRINTED)
    own = instance["InstanceId"]
    layers = instance.get("NetworkNodes") or []
    if not isinstance(layers, list) or not all(isinstance(layer, str) for layer in layers):
        raise TopologyError(f"`NetworkNodes` of {own} is not a list of names", _AS_PRINTED)
    if len(layers) > _MOST_LAYERS:
        raise TopologyError(
            f"`NetworkNodes` of {own} has {len(layers)} layers, at most {_MOST_LAYERS} are allowed",
            _AS_PRINTED,
        )
    for layer in layers:
        if layer == UNPLACED or layer.startswith("zone-"):
            raise TopologyError(f"a network node has the name {layer}, which is reserved", _AS_PRINTED)
        _plain(layer, "NetworkNodes", own)
    name = own if names is None else names.get(own)
    if name is None:
        return None
    kind, domain = _text(instance, "InstanceType"), _text(instance, "CapacityBlockId")
    if kind in catalog().instances and not catalog().units_of(kind or ""):
        domain = None  # a Capacity Block of other instance types is not an NVLink domain
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
    """Check that a name has only characters without a special meaning in Slurm's files."""
    if not isinstance(value, str) or _NAME.fullmatch(value) is None:
        raise TopologyError(f"`{key}` of {instance} is not a valid name", _AS_PRINTED)
    return value


def plan_topology(nodes: Sequence[PlacedNode]) -> Topology:
    """Return the tree and block topologies; raises TopologyError if node locations contradict each other."""
    for node in nodes:
        if node.domain is None and _units(node):
            # after a launch, EC2 returns the topology with some delay (API_DescribeInstanceTopology)
            raise TopologyError(
                f"{node.name} is in an UltraServer, but EC2 does not return its `CapacityBlockId` yet",
                "query EC2 again in a few minutes",
            )
    return Topology(
        switches=_switches([node for node in nodes if node.domain is None]),
        blocks=_blocks([node for node in nodes if node.domain is not None]),
    )


def _units(node: PlacedNode) -> list[int]:
    """Return the sizes of the UltraServers of a node's type, in instances, the smallest first."""
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
            f"{domain} has {len(nodes)} nodes, "
            f"but an UltraServer of {nodes[0].instance_type} has at most {units[-1]}",
            "query EC2 again, and pass the whole output",
        )
    return Block(name=domain, nodes=tuple(in_order(node.name for node in nodes)), unit=unit or len(nodes))


def _switches(nodes: Sequence[PlacedNode]) -> tuple[Switch, ...]:
    """Return a tree for each zone; trees have no common parent, because EFA does not cross zones."""
    parents: dict[str, str] = {}
    members: dict[str, list[str]] = {}
    for node in nodes:
        for above, below in pairwise(node.network_nodes):
            if parents.setdefault(below, above) != above:
                raise TopologyError(
                    f"network node {below} is below both {above} and {parents[below]}",
                    "query EC2 again, and pass one output only",
                )
        if node.network_nodes:
            members.setdefault(node.network_nodes[-1], []).append(node.name)
    _refuse_nodes_on_both(members, parents)
    _refuse_roots_below(nodes, parents)
    unplaced = [node.name for node in nodes if not node.network_nodes]
    leaves = [Switch(name=leaf, nodes=tuple(in_order(names))) for leaf, names in sorted(members.items())]
    if unplaced:
        leaves.append(Switch(name=UNPLACED, nodes=tuple(in_order(unplaced))))
    zones = {node.network_nodes[0]: node.zone or "" for node in nodes if node.network_nodes}
    return (*leaves, *_above(parents), *_roots(zones, unplaced=bool(unplaced)))


def _refuse_nodes_on_both(members: Mapping[str, object], parents: Mapping[str, str]) -> None:
    """Reject a network node with nodes and network nodes below it; a Slurm switch has only one kind."""
    both = sorted(set(members) & set(parents.values()))
    if both:
        raise TopologyError(
            f"network node {both[0]} has both instances and network nodes below it",
            "pass the instances of one family at a time, because families have networks of different depth",
        )


def _refuse_roots_below(nodes: Sequence[PlacedNode], parents: Mapping[str, str]) -> None:
    """Reject a network node that is the top layer of one node but a lower layer of another node."""
    for node in nodes:
        if node.network_nodes and node.network_nodes[0] in parents:
            top = node.network_nodes[0]
            raise TopologyError(
                f"network node {top} is the top layer of {node.name}, but is below {parents[top]} for others",
                _AS_PRINTED,
            )


def _above(parents: Mapping[str, str]) -> list[Switch]:
    """Return the switches above other switches, in order from the nodes to the top."""
    children: dict[str, list[str]] = {}
    for below, above in sorted(parents.items()):
        children.setdefault(above, []).append(below)

    def height(name: str) -> int:
        return 1 + max((height(child) for child in children.get(name, ())), default=-1)

    found = [Switch(name=name, switches=tuple(below)) for name, below in children.items()]
    return sorted(found, key=lambda switch: (height(switch.name), switch.name))


def _roots(zones: Mapping[str, str], *, unplaced: bool) -> list[Switch]:
    """Return a top switch for each zone with several trees; a single zone also contains unlocated nodes."""
    tops: dict[str, list[str]] = {}
    for top, zone in sorted(zones.items()):
        tops.setdefault(zone, []).append(top)
    if unplaced and len(tops) == 1:
        tops[next(iter(tops))].append(UNPLACED)
    return [
        Switch(name=f"zone-{zone}" if zone else "zone", switches=tuple(names))
        for zone, names in sorted(tops.items())
        if len(names) > 1
    ]
