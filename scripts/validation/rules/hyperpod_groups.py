"""The instance groups of a HyperPod cluster, as rules walk them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from config.catalog import InstanceType, catalog

from .registry import Resource, value_at

CLUSTER = "AWS::SageMaker::Cluster"
Group = Mapping[str, Any]


def groups(resource: Resource) -> list[tuple[str, Group]]:
    """Each group with its path; restricted groups are another matter."""
    return [(f"InstanceGroups/{number}", group) for number, group in resource.structures("InstanceGroups")]


def instance_of(group: Group) -> InstanceType | None:
    """The group's instance type, where the catalogue knows it."""
    return catalog().instance(str(group.get("InstanceType", "")).removeprefix("ml."))


def role_of(group: Group) -> str | None:
    """Controller, Login or Compute, in a cluster that is configured by the API."""
    role: str | None = value_at(group, "SlurmConfig", "NodeType")
    return role


def is_on_eks(resource: Resource) -> bool:
    """Whether EKS orchestrates the cluster; Slurm does where nothing is said."""
    orchestrator = resource.properties.get("Orchestrator")
    return isinstance(orchestrator, Mapping) and "Eks" in orchestrator


def is_continuous(resource: Resource) -> bool:
    """Whether nodes are provisioned continuously; a mode that is not known yet may be."""
    return resource.properties.get("NodeProvisioningMode") is not None
