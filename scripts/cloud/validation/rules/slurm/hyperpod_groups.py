"""The instance groups of a HyperPod cluster, as rules walk them."""

from __future__ import annotations

from config.catalog import InstanceType, catalog
from scripts.cloud.validation.rules.reading import Properties, structure_at, structures_at, text_at
from scripts.cloud.validation.rules.registry import Resource

CLUSTER = "AWS::SageMaker::Cluster"
Group = Properties


def groups(resource: Resource) -> list[tuple[str, Group]]:
    """Each group with its path; restricted groups are another matter."""
    found = structures_at(resource.properties, "InstanceGroups")
    return [(f"InstanceGroups/{number}", group) for number, group in found]


def instance_of(group: Group) -> InstanceType | None:
    """The group's instance type, where the catalogue knows it."""
    return catalog().instance(str(group.get("InstanceType", "")).removeprefix("ml."))


def role_of(group: Group) -> str | None:
    """Controller, Login or Compute, in a cluster that is configured by the API."""
    return text_at(group, "SlurmConfig", "NodeType")


def is_on_eks(resource: Resource) -> bool:
    """Whether EKS orchestrates the cluster; Slurm does where nothing is said."""
    return "Eks" in structure_at(resource.properties, "Orchestrator")


def is_continuous(resource: Resource) -> bool:
    """Whether nodes are provisioned continuously; a mode that is not known yet may be."""
    return resource.properties.get("NodeProvisioningMode") is not None
