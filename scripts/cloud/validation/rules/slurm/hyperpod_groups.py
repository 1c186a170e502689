"""Readers for the instance groups of a HyperPod cluster."""

from __future__ import annotations

from config.catalog import InstanceType, catalog
from scripts.cloud.validation.rules.reading import Properties, structure_at, structures_at, text_at
from scripts.cloud.validation.rules.registry import Resource

CLUSTER = "AWS::SageMaker::Cluster"
Group = Properties


def groups(resource: Resource) -> list[tuple[str, Group]]:
    """Return each instance group with its path; restricted instance groups are not included."""
    found = structures_at(resource.properties, "InstanceGroups")
    return [(f"InstanceGroups/{number}", group) for number, group in found]


def instance_of(group: Group) -> InstanceType | None:
    """Return the group's instance type; None if the catalogue does not have it."""
    return catalog().instance(str(group.get("InstanceType", "")).removeprefix("ml."))


def role_of(group: Group) -> str | None:
    """Return Controller, Login or Compute; None without API-driven Slurm configuration."""
    return text_at(group, "SlurmConfig", "NodeType")


def is_on_eks(resource: Resource) -> bool:
    """Return whether EKS orchestrates the cluster; Slurm is the default."""
    return "Eks" in structure_at(resource.properties, "Orchestrator")


def is_continuous(resource: Resource) -> bool:
    """Return whether nodes are provisioned continuously; True if the mode is not known yet."""
    return resource.properties.get("NodeProvisioningMode") is not None
