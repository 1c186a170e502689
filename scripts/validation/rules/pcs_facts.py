"""What AWS PCS takes, as data: versions, settings, quotas."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from .registry import Resource, Sibling

CLUSTER, GROUP, QUEUE = "AWS::PCS::Cluster", "AWS::PCS::ComputeNodeGroup", "AWS::PCS::Queue"
KINDS = {CLUSTER: "cluster", GROUP: "group", QUEUE: "queue"}
_PATH = Path(__file__).resolve().parents[1] / "data" / "pcs.yaml"


@lru_cache(maxsize=1)
def facts() -> Mapping[str, Any]:
    """The file of facts."""
    found: Mapping[str, Any] = yaml.safe_load(_PATH.read_text(encoding="utf-8"))
    return found


def cluster_of(resource: Resource) -> Sibling | None:
    """The cluster of a group or a queue, where the stack makes it."""
    return resource.at(CLUSTER, "ClusterId")


def is_older(version: str | None, since: str) -> bool:
    """Whether a Slurm version comes before another; one that is not known yet does not."""
    return version is not None and version in facts()["versions"] and version < since
