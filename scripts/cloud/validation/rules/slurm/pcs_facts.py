"""The resources of AWS PCS, and whether their Slurm is old."""

from __future__ import annotations

from config.catalog import catalog
from config.catalog.slurm import pcs as facts
from config.catalog.slurm.pcs import SettingsOf
from scripts.cloud.validation.rules.registry import Resource, Sibling

CLUSTER, GROUP, QUEUE = "AWS::PCS::Cluster", "AWS::PCS::ComputeNodeGroup", "AWS::PCS::Queue"
KINDS: dict[str, SettingsOf] = {CLUSTER: "cluster", GROUP: "group", QUEUE: "queue"}


def versions() -> tuple[str, ...]:
    """The Slurm versions that PCS creates."""
    return catalog().control_planes["pcs"].versions


def cluster_of(resource: Resource) -> Sibling | None:
    """The cluster of a group or a queue, where the stack makes it."""
    return resource.at(CLUSTER, "ClusterId")


def is_older(version: str | None, since: str) -> bool:
    """Whether a Slurm version comes before another; one that is not known yet does not."""
    return version is not None and version in versions() and facts.is_older(version, since)
