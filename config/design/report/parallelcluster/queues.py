"""Queues of a ParallelCluster configuration: partitions, their instances and purchase options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from config.catalog import catalog
from config.design.capacity.groups import GroupPlan
from config.design.model import Design
from config.design.report.parallelcluster.ids import Ids
from config.design.report.parallelcluster.nodes import (
    additional_security_groups,
    nodes_that_compute,
    one_thread,
)
from config.design.report.parallelcluster.slurm import of_group, of_queue, pcs_of
from config.design.slurm.defaults import settled
from config.profile.capacity.groups import AnyCapacity, Group

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """A queue of the configuration: its compute groups and its Slurm settings."""

    name: str
    groups: tuple[GroupPlan, ...]
    settings: Mapping[str, str] = field(hash=False)


def partitions(design: Design) -> tuple[Partition, ...]:
    """Return the PCS queues of the profile, or one queue for each partition.

    ParallelCluster chooses the default queue unless the profile sets it.
    """
    compute = {group.name: group for group in nodes_that_compute(design)}
    pcs = pcs_of(design)
    declared = {queue.name: queue.settings for queue in (pcs.queues or ())} if pcs else {}
    if design.pcs:
        return tuple(
            Partition(
                name=queue.name,
                groups=tuple(group for name, group in compute.items() if name in queue.groups),
                settings=settled({}, declared.get(queue.name, {})),
            )
            for queue in design.pcs.queues
            if any(name in compute for name in queue.groups)
        )
    found: dict[str, list[GroupPlan]] = {}
    for group in compute.values():
        found.setdefault(group.partition or group.name, []).append(group)
    return tuple(Partition(name=name, groups=tuple(groups), settings={}) for name, groups in found.items())


def queues(design: Design, ids: Ids, iam: Json) -> Iterator[Json]:
    """Return a queue for each partition, with a compute resource for each of its groups."""
    declared = {group.name: group for _, group in design.placed_groups}
    for partition in partitions(design):
        first = partition.groups[0]
        queue: Json = {
            "Name": partition.name,
            "CapacityType": first.purchase.pcs,
            "Networking": {"SubnetIds": [ids.subnets[first.subnet]], **additional_security_groups(ids)},
            "Iam": iam,
            **of_queue(partition.settings),
            "ComputeResources": [_resource(group, declared[group.name]) for group in partition.groups],
        }
        if local := _local_storage(design, [declared[group.name] for group in partition.groups]):
            queue["ComputeSettings"] = {"LocalStorage": local}
        if any(group.instance_type.is_gpu for group in partition.groups):
            # DCGM's check runs in the prolog of every job, and hung on types with 8 GPUs (SLURM-03)
            queue["HealthChecks"] = {"Gpu": {"Enabled": False}}
        yield queue


def _local_storage(design: Design, groups: Sequence[Group]) -> Json:
    types = (catalog().instance(group.instance_type) for group in groups)
    wanted = design.profile.storage and design.profile.storage.local_nvme
    found: Json = {}
    if wanted and any(instance and instance.local_nvme for instance in types):
        found["EphemeralVolume"] = {"MountDir": LOCAL_DISKS}
    if sizes := [group.root_volume_gib for group in groups if group.root_volume_gib]:
        found["RootVolume"] = {"Size": max(sizes)}
    return found


LOCAL_DISKS = "/scratch"
"""Mount path of the striped volume on a node's local disks; the default of ParallelCluster."""


def _resource(group: GroupPlan, declared: Group) -> Json:
    """Return a compute resource; its type is always set, because its reservation may end (SLURM-04)."""
    found: Json = {
        "Name": group.name,
        "InstanceType": group.instance_type.name,
        "MinCount": 0 if declared.scaling == "dynamic" else group.count,
        "MaxCount": group.count,
        **of_group(declared),
    }
    if one_thread(group):
        found["DisableSimultaneousMultithreading"] = True
    if group.instance_type.max_efa:
        found["Efa"] = {"Enabled": group.efa_per_node > 0}
    if not group.purchase.block:  # a Capacity Block has its own placement (SLURM-06)
        found["Networking"] = {"PlacementGroup": _placement(group)}
    target = _target(group.capacity)
    return found | ({"CapacityReservationTarget": target} if target else {})


def _placement(group: GroupPlan) -> Json:
    """Return the placement group of the profile; it is explicitly disabled if the profile has none."""
    declared = group.placement_group
    if declared is not None and declared.kind == "existing":
        return {"Name": declared.name}
    return {"Enabled": declared is not None}


def _target(capacity: AnyCapacity) -> Json | None:
    if capacity.reservation_id:
        return {"CapacityReservationId": capacity.reservation_id}
    arn = capacity.resource_group_arn
    return {"CapacityReservationResourceGroupArn": arn} if arn else None
