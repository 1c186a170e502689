"""How a queue admits a job: by its quota, and by places for all pods, as the objects say.

A model of Kueue's topology-aware scheduling (https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling):
only nodes with every label of the topology count; a preferred level is tried first, then the wider ones, then
all nodes; a required one alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.kubernetes.scheduling import number, of_kind

Objects = Sequence[Mapping[str, Any]]
PREFERRED = "kueue.x-k8s.io/podset-preferred-topology"
REQUIRED = "kueue.x-k8s.io/podset-required-topology"
LAYERS = [f"topology.k8s.aws/network-node-layer-{n}" for n in (1, 2, 3, 4)]


@dataclass(frozen=True, kw_only=True)
class Node:
    """A node with its labels and what is free on it."""

    name: str
    labels: Mapping[str, str] = field(hash=False)
    free: Mapping[str, int] = field(hash=False)


def within_quota(job: Mapping[str, Any], queue: Mapping[str, Any]) -> bool:
    """Whether the queue's own quota has room for all pods at once, with nothing else running."""
    pods = job["spec"]["parallelism"]
    asked = {name: pods * value for name, value in requests(job).items()} | {"pods": 1000 * pods}
    (group,) = queue["spec"]["resourceGroups"]
    for flavor in group["flavors"]:
        there = {row["name"]: number(row["nominalQuota"]) for row in flavor["resources"]}
        if all(value <= there.get(name, -1) for name, value in asked.items()):
            return True
    return False


def requests(job: Mapping[str, Any]) -> dict[str, int]:
    """What one pod asks for, in thousandths."""
    (container,) = job["spec"]["template"]["spec"]["containers"]
    return {name: number(value) for name, value in container["resources"]["requests"].items()}


def place(job: Mapping[str, Any], objects: Objects, nodes: Sequence[Node]) -> list[Node] | None:
    """A node for every pod, or None: never a part of them."""
    pods, asked = job["spec"]["parallelism"], requests(job)
    annotations = job["spec"]["template"].get("metadata", {}).get("annotations", {})
    for flavor in of_kind(objects, "ResourceFlavor"):
        levels = _levels(flavor, objects)
        wanted = flavor["spec"]["nodeLabels"]
        fitting = [
            node
            for node in nodes
            if all(label in node.labels for label in levels) and wanted.items() <= node.labels.items()
        ]
        for domain in _domains(levels, annotations, fitting):
            chosen = [node for node in domain for _ in range(_room(node, asked))]
            if len(chosen) >= pods:
                return chosen[:pods]
    return None


def _levels(flavor: Mapping[str, Any], objects: Objects) -> list[str]:
    (topology,) = [
        one
        for one in of_kind(objects, "Topology")
        if one["metadata"]["name"] == flavor["spec"]["topologyName"]
    ]
    return [level["nodeLabel"] for level in topology["spec"]["levels"]]


def _domains(levels: list[str], annotations: Mapping[str, str], nodes: list[Node]) -> Iterator[list[Node]]:
    """The places to try, the smallest that hold all pods first."""
    level = annotations.get(REQUIRED) or annotations.get(PREFERRED)
    if level is not None:
        allowed = levels[: levels.index(level) + 1]
        for depth in range(len(allowed), 0, -1):
            found: dict[tuple[str, ...], list[Node]] = {}
            for node in nodes:
                found.setdefault(tuple(node.labels[label] for label in allowed[:depth]), []).append(node)
            yield from sorted(found.values(), key=len)
            if REQUIRED in annotations:
                return
    yield nodes


def _room(node: Node, asked: Mapping[str, int]) -> int:
    return min((node.free.get(name, 0) // value for name, value in asked.items() if value), default=0)


def nodes_of(count: int, per_leaf: int, *, layers: int = 4, **busy: int) -> list[Node]:
    """Nodes of p6-b200 under switches of so many; `busy` takes GPUs of a node away."""
    free = {
        "cpu": 190_000, "memory": 1000 * 2**20 * 2_000_000, "hugepages-2Mi": 1000 * 2**20 * 10_256,
        "nvidia.com/gpu": 8000, "vpc.amazonaws.com/efa": 8000,
    }  # fmt: skip
    found = []
    for i in range(count):
        leaf = i // per_leaf
        places = [f"top-{leaf // 16}", f"mid-{leaf // 8}", f"low-{leaf // 4}", f"leaf-{leaf}"]
        labels = dict(zip(LAYERS[:layers], places, strict=False))
        found.append(
            Node(
                name=f"n{i}",
                labels={**labels, "kubernetes.io/hostname": f"n{i}", "ultracluster/group": "train"},
                free={**free, "nvidia.com/gpu": 8000 - 1000 * busy.get(f"n{i}", 0)},
            )
        )
    return found
