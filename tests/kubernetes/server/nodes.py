"""Nodes of a design's groups, as their kubelets register them, under the switches of a network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from config.design.capacity.groups import GroupPlan
from config.design.kubernetes.devices import GroupDevices, group_devices
from config.design.kubernetes.nodes.groups import EksGroupPlan
from config.design.kubernetes.scheduler.topology import NVLINK_DOMAINS, nvlink_domain_of
from config.design.model import Design
from config.profile.orchestrator import Eks, HyperPodEks
from tests.kubernetes.admission import LAYERS
from tests.kubernetes.server.client import Client, wait

Object = dict[str, Any]

_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}
# a taint that its driver removes when it runs on the node
_OF_DRIVERS = ("fsx.csi.aws.com/agent-not-ready",)
LOST = "tests/lost"
_PODS = 110


def names_of(group: GroupPlan) -> list[str]:
    """Return the names of a group's nodes."""
    return [f"{group.name}-{number}" for number in range(group.count)]


def nodes_of(design: Design, per_leaf: int = 4, fan_out: int = 2) -> list[Object]:
    """Return the nodes of all groups; each leaf switch has so many, each other switch so many below it."""
    assert design.eks is not None
    orchestrator = design.profile.orchestrator
    assert isinstance(orchestrator, Eks | HyperPodEks)
    plans = {plan.group.name: plan for plan in design.eks.groups}
    owners = {devices.group: devices for devices in group_devices(orchestrator, design.groups)}
    hyperpod = isinstance(orchestrator, HyperPodEks)
    domain = NVLINK_DOMAINS[nvlink_domain_of(orchestrator.scheduling, hyperpod=hyperpod)]
    found: list[Object] = []
    for group in design.groups:
        switched = [_switches(group, number // per_leaf, fan_out) for number in range(group.count)]
        if group.ultraservers:
            size = -(-group.count // group.ultraservers)
            for number, labels in enumerate(switched):
                labels[domain] = f"{group.name}-ultraserver-{number // size}"
        found += _of_group(group, plans.get(group.name), switched, _offered(group, owners.get(group.name)))
    return found


def _of_group(
    group: GroupPlan,
    plan: EksGroupPlan | None,
    places: Sequence[Mapping[str, str]],
    offered: Mapping[str, str],
) -> Iterator[Object]:
    labels = (
        dict(plan.labels) if plan else {"ultracluster/group": group.name, "ultracluster/role": group.role}
    )
    taints = plan.taints if plan else ()
    for name, place in zip(names_of(group), places, strict=True):
        yield {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": name,
                "labels": {
                    **labels,
                    **place,
                    "kubernetes.io/hostname": name,
                    "kubernetes.io/arch": "amd64",
                    "kubernetes.io/os": "linux",
                    "node.kubernetes.io/instance-type": group.instance_type.name,
                },
            },
            "spec": {
                "taints": [
                    {"key": taint.key, "value": taint.value, "effect": _EFFECTS[taint.effect]}
                    for taint in taints
                    if taint.key not in _OF_DRIVERS
                ]
            },
            "status": {"allocatable": offered, "capacity": offered},
        }


def _switches(group: GroupPlan, leaf: int, fan_out: int) -> dict[str, str]:
    """Return the labels of the network nodes above a leaf switch, the widest first."""
    layers = LAYERS[: group.instance_type.network_layers or 0]
    return {
        layer: f"{group.name}-{depth}-{leaf // fan_out ** (len(layers) - 1 - depth)}"
        for depth, layer in enumerate(layers)
    }


def _offered(group: GroupPlan, owners: GroupDevices | None) -> dict[str, str]:
    """Return what a node offers to pods: what its jobs request, and a little more; no claimed devices."""
    machine = group.instance_type
    found = {
        "cpu": f"{machine.vcpus * 1000 - 500}m",
        "memory": f"{machine.memory_gib - 8}Gi",
        "pods": str(group.node.pods or _PODS),
        "ephemeral-storage": "300Gi",
    }
    if machine.gpu is not None:
        found["hugepages-2Mi"] = "10256Mi"
    if machine.gpu is not None and owners and owners.gpu != "dra":
        found["nvidia.com/gpu"] = str(machine.gpu.count)
    if group.node.efa and owners and owners.efa != "dra":
        found["vpc.amazonaws.com/efa"] = str(group.node.efa)
    return found


def add(client: Client, nodes: list[Object]) -> None:
    """Create nodes, and wait until all are ready."""
    for node in nodes:
        client.create(node)
    names = {node["metadata"]["name"] for node in nodes}
    wait(lambda: names <= set(ready(client)), f"{len(nodes)} nodes are ready")


def ready(client: Client) -> list[str]:
    """Return the names of the nodes that are ready."""
    return [
        node["metadata"]["name"]
        for node in client.list("v1", "Node")
        if any(c["type"] == "Ready" and c["status"] == "True" for c in node["status"].get("conditions", ()))
    ]
