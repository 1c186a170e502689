"""Faults planted into what we generate, and what our rules say of them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from config.catalog import InstanceType, Interface, Layout, catalog
from config.cluster import Cluster
from scripts.cloud.validation import Sibling, problems

REGION = "us-west-2"
TEMPLATE = "AWS::EC2::LaunchTemplate"
Data = dict[str, Any]
Check = Callable[..., Cluster]


def with_efa() -> list[InstanceType]:
    """Every type of the catalogue that carries EFA."""
    return [row for row in catalog().instances.values() if row.max_efa]


def laid_out() -> Iterator[tuple[InstanceType, Layout]]:
    """Each of their layouts."""
    for row in with_efa():
        for layout in row.layouts.values():
            yield row, layout


def launch_data(instance: InstanceType, layout: Layout) -> Data:
    """The data of a launch template with a layout of the catalogue."""
    return {
        "InstanceType": instance.name,
        "NetworkInterfaces": [written(interface) for interface in layout.interfaces],
    }


def written(interface: Interface) -> Data:
    """One interface as a launch template has it."""
    return {
        "NetworkCardIndex": interface.network_card_index,
        "DeviceIndex": interface.device_index,
        "InterfaceType": interface.interface_type.value,
        "Groups": ["sg-0123456789abcdef0"],
    }


def codes_of_template(data: Mapping[str, Any]) -> set[str]:
    """The codes that a launch template with this data is refused by."""
    return codes_of(TEMPLATE, {"LaunchTemplateData": data})


def codes_of(kind: str, properties: Mapping[str, Any], **others: tuple[str, Mapping[str, Any]]) -> set[str]:
    """The codes that a resource is refused by, beside others that it names by their ids."""
    siblings = {
        name: Sibling(other, dict(other_properties), frozenset({name.replace("_", "-")}))
        for name, (other, other_properties) in others.items()
    }
    return {problem.code for problem in problems(REGION, kind, properties, siblings) if problem.code}


def changed(data: Data, change: Callable[[list[Data]], None]) -> Data:
    """The same template with its interfaces changed."""
    other = copy.deepcopy(data)
    change(other["NetworkInterfaces"])
    return other


def profile(plane: str, group: str = "", *, machine: str = "p6-b200.48xlarge", more: str = "") -> str:
    """A profile with one group over p6-b200, as a user would write it; Kubernetes needs another one."""
    tools = "    - {name: tools, role: system, instance_type: m6i.4xlarge, count: 2}\n"
    return (
        f"extends: p6-b200\nname: mine\norchestrator: {{kind: {plane}}}\n{more}compute:\n  groups:\n"
        f"    - {{name: train, role: compute, instance_type: {machine}, count: 16{group and ', ' + group}}}\n"
        f"{tools if plane.endswith('eks') else ''}"
    )


def errors(cluster: Cluster) -> set[str]:
    """The codes that a profile is refused by, that of a control plane not built yet left aside."""
    return {d.code for d in cluster.diagnostics if d.severity == "error"}
