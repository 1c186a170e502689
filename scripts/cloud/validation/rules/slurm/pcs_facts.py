"""Resource types and Slurm versions of AWS PCS."""

from __future__ import annotations

from config.catalog import catalog
from config.catalog.slurm import pcs as facts
from config.catalog.slurm.pcs import SettingsOf
from scripts.cloud.validation.rules.registry import Resource, Sibling

CLUSTER, GROUP, QUEUE = "AWS::PCS::Cluster", "AWS::PCS::ComputeNodeGroup", "AWS::PCS::Queue"
KINDS: dict[str, SettingsOf] = {CLUSTER: "cluster", GROUP: "group", QUEUE: "queue"}


def versions() -> tuple[str, ...]:
    """Return the Slurm versions that PCS creates."""
    return catalog().control_planes["pcs"].versions


def cluster_of(resource: Resource) -> Sibling | None:
    """Return the cluster of a group or a queue; None if the stack does not create it."""
    return resource.at(CLUSTER, "ClusterId")


def is_older(version: str | None, since: str) -> bool:
    """Return whether a Slurm version is older than another; False if it is not known yet."""
    return version is not None and version in versions() and facts.is_older(version, since)
