"""Devices that drivers of dynamic resource allocation publish for the nodes of a design."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from config.design.kubernetes.devices import GroupDevices, group_devices
from config.design.kubernetes.scheduler.amounts import DEVICE_CLASSES, EFA, GPU
from config.design.model import Design
from tests.kubernetes.server.client import Client
from tests.kubernetes.server.nodes import names_of

Object = dict[str, Any]

_API = "resource.k8s.io/v1"
_DRIVERS = {GPU: "gpu.nvidia.com", EFA: "dra.net"}
_ATTRIBUTES: dict[str, Object] = {
    GPU: {"type": {"string": "gpu"}},
    EFA: {"pciDevice": {"string": "Elastic Fabric Adapter (EFA)"}},
}
"""What the drivers' device classes select by: the chart dra-driver-nvidia-gpu, and
aws/eks-charts:stable/aws-dranet/templates/deviceclass.yaml."""

_EFA_CLASS: Object = {
    "apiVersion": _API,
    "kind": "DeviceClass",
    "metadata": {"name": DEVICE_CLASSES[EFA]},
    "spec": {
        "selectors": [
            {"cel": {"expression": "device.attributes['dra.net'].pciDevice.contains('(EFA)')"}},
        ]
    },
}
"""The class of the chart aws-dranet, which no Go module contains."""


def publish(client: Client, design: Design) -> None:
    """Create the slices of all nodes with claimed devices, and the class of their EFA devices."""
    slices = [one for devices in _owners(design) for one in _slices(design, devices)]
    if slices:
        client.apply(_EFA_CLASS)
    for one in slices:
        client.create(one)


def withdraw(client: Client) -> None:
    """Delete all slices and the class of EFA devices."""
    client.remove_all(_API, "ResourceSlice")
    client.remove(_EFA_CLASS)


def _owners(design: Design) -> Iterator[GroupDevices]:
    for devices in group_devices(design.profile.orchestrator, design.groups):
        if "dra" in (devices.gpu, devices.efa):
            yield devices


def _slices(design: Design, devices: GroupDevices) -> Iterator[Object]:
    (group,) = (one for one in design.groups if one.name == devices.group)
    for node in names_of(group):
        for resource, owner, number in (
            (GPU, devices.gpu, group.gpus // group.count),
            (EFA, devices.efa, group.node.efa),
        ):
            if owner == "dra" and number:
                yield _slice(node, resource, number)


def _slice(node: str, resource: str, number: int) -> Object:
    driver = _DRIVERS[resource]
    attributes = {f"{driver}/{name}": value for name, value in _ATTRIBUTES[resource].items()}
    return {
        "apiVersion": _API,
        "kind": "ResourceSlice",
        "metadata": {"name": f"{node}-{driver}"},
        "spec": {
            "driver": driver,
            "nodeName": node,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": f"device-{n}", "attributes": attributes} for n in range(number)],
        },
    }
