"""Head node and login nodes of a ParallelCluster configuration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from config.catalog import InstanceType, catalog
from config.design.capacity.groups import GroupPlan
from config.design.model import Design
from config.design.report.parallelcluster.ids import Ids
from config.design.report.parallelcluster.slurm import hooks

Json = dict[str, Any]

HEAD_MEMORY_GIB = 16
"""Minimum memory of a head node; HeadNodeMemorySizeValidator requires the same amount for large clusters."""


def nodes_that_compute(design: Design) -> tuple[GroupPlan, ...]:
    """Return the compute groups."""
    return tuple(group for group in design.groups if group.role == "compute")


def head_group(design: Design) -> GroupPlan | None:
    """Return the group that sets the type of the head node: the controller group, else a login group."""
    for role in ("controller", "login"):
        found = next((group for group in design.groups if group.role == role), None)
        if found:
            return found
    return None


def head_type(design: Design) -> InstanceType | None:
    """Return the instance type of the head node, None if the catalogue has no type for the architecture."""
    group = head_group(design)
    if group:
        return group.instance_type
    wanted = {group.instance_type.arch for group in nodes_that_compute(design)}
    fitting = [
        row
        for row in catalog().instances.values()
        if not row.is_gpu and row.memory_gib >= HEAD_MEMORY_GIB and wanted <= {row.arch}
    ]
    return min(fitting, key=lambda row: (row.vcpus, row.memory_gib, row.name), default=None)


def head_node(design: Design, ids: Ids, iam: Json) -> Json:
    """Return the HeadNode section; users connect through Session Manager, so it has no key."""
    group, instance = head_group(design), head_type(design)
    assert instance is not None  # rule PCL006 requires a type
    found: Json = {
        "InstanceType": instance.name,
        "Networking": {
            "SubnetId": ids.subnets[group.subnet if group else "primary"],
            **additional_security_groups(ids),
        },
        "Iam": {**iam, **_s3_access(ids)},
    }
    around = hooks(design)
    if around:
        found["CustomActions"] = {
            "OnNodeConfigured": {
                "Script": f"{ids.actions}/job_hooks.sh",
                "Args": [f"{kind}={program}" for kind, program in around.items()],
            }
        }
    return found | (_one_thread(group) if group and group.role == "controller" else {})


def login_pools(design: Design, ids: Ids, iam: Json) -> Iterator[Json]:
    """Return a login pool for each login group."""
    for group in design.groups:
        if group.role == "login":
            yield {
                "Name": group.name,
                "InstanceType": group.instance_type.name,
                "Count": group.count,
                "Networking": {"SubnetIds": [ids.subnets[group.subnet]], **additional_security_groups(ids)},
                "Iam": iam,
            }


def additional_security_groups(ids: Ids) -> Json:
    """Return the additional security group for file systems that are mounted by id."""
    return {"AdditionalSecurityGroups": [ids.security_group]} if ids.security_group else {}


def _s3_access(ids: Ids) -> Json:
    bucket = ids.actions.removeprefix("s3://").partition("/")[0]
    return {"S3Access": [{"BucketName": bucket}]} if bucket else {}


def _one_thread(group: GroupPlan) -> Json:
    return {"DisableSimultaneousMultithreading": True} if one_thread(group) else {}


def one_thread(group: GroupPlan) -> bool:
    """Return True if the instance type has several threads per core, but the profile sets one thread."""
    return group.threads_per_core == 1 and group.instance_type.threads_per_core > 1
