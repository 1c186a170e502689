"""HyperPod instance groups: construct props from the plans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from config.catalog import InstanceType
from config.design.capacity.groups import GroupPlan
from config.design.storage.lustre import MAIN
from config.design.zones import PRIMARY
from config.profile.kubernetes.nodes import Taint
from config.profile.slurm import hyperpod as profile
from stacks.foundation import Foundation
from ultracluster.slurm import (
    AutoPatch,
    BatchSize,
    DeepHealthCheck,
    Deployment,
    HyperPodGroup,
    KubernetesTaint,
    LustreMount,
    NodeType,
    OpenZfsMount,
    ScheduledUpdate,
    TaintEffect,
)

_CHECKS: dict[str, DeepHealthCheck] = {
    "instance-stress": "InstanceStress",
    "instance-connectivity": "InstanceConnectivity",
}


def hyperpod_group(
    group: GroupPlan, on: Foundation, labels: Mapping[str, str] | None = None
) -> HyperPodGroup:
    """Return the props of a group; `labels` are the Kubernetes labels of its nodes (None for Slurm)."""
    storage = on.storage
    # with Slurm, HyperPod mounts one Lustre file system and the node scripts mount the others
    main = next((system for system in storage.file_systems if system.plan.name == MAIN), None)
    mount, slurm = None, labels is None
    if main and slurm:
        mount = LustreMount(
            dns_name=main.dns_name, mount_name=main.mount_name, mount_path=main.plan.mount_path
        )
    return HyperPodGroup(
        name=group.name,
        node_type=cast(NodeType, group.role) if slurm else None,
        instance_type=_sagemaker_name(group.instance_type),
        fallback_instance_types=[_sagemaker_name(other) for other in group.fallbacks],
        count=group.count,
        min_count=group.min_count,
        image_id=group.ami_id,
        partition=group.partition,
        threads_per_core=group.threads_per_core,
        training_plan_arn=group.capacity.arn,
        deep_health_checks=[_CHECKS[check] for check in group.deep_health_checks if check in _CHECKS],
        root_volume_key_arn=group.root_volume_key_arn,
        ebs_volume_gib=group.volume_gib,
        ebs_volume_key_arn=group.volume_key_arn,
        scheduled_update=_scheduled_update(group.scheduled_update) if group.scheduled_update else None,
        auto_patch=_auto_patch(group.auto_patch) if group.auto_patch else None,
        lustre=mount,
        open_zfs=OpenZfsMount(dns_name=storage.home.dns_name, mount_path=storage.home.plan.mount_path)
        if storage.home and slurm
        else None,
        image_release=group.image_release,
        spot=group.purchase.interruptible,
        labels=labels or {},
        taints=[_taint(taint) for taint in group.taints],
        override_subnet_ids=() if group.subnet == PRIMARY else (on.node_network.subnet_ids[group.subnet],),
    )


_EFFECTS: dict[str, TaintEffect] = {
    "no-schedule": "NoSchedule",
    "prefer-no-schedule": "PreferNoSchedule",
    "no-execute": "NoExecute",
}


def _taint(taint: Taint) -> KubernetesTaint:
    return KubernetesTaint(key=taint.key, value=taint.value, effect=_EFFECTS[taint.effect])


def _sagemaker_name(instance: InstanceType) -> str:
    # a new type that is not in the catalogue's list gets a name in the usual form; the profile waives CAP010
    return instance.hyperpod_name or f"ml.{instance.name}"


def _scheduled_update(update: profile.ScheduledUpdate) -> ScheduledUpdate:
    return ScheduledUpdate(schedule=update.schedule, deployment=_deployment(update.deployment))


def _auto_patch(patch: profile.AutoPatch) -> AutoPatch:
    # a rule rejects the strategy that CloudFormation does not support
    return AutoPatch(
        strategy="WhenAllIdle" if patch.strategy == "when-all-idle" else "WhenIdle",
        deployment=_deployment(patch.deployment),
    )


def _deployment(deployment: profile.Deployment | None) -> Deployment | None:
    if deployment is None:
        return None
    return Deployment(
        batch=_batch(deployment.batch),
        rollback_batch=_batch(deployment.rollback_batch),
        wait_s=deployment.wait_s,
        alarm_names=deployment.alarms,
    )


def _batch(batch: profile.AnyBatch | None) -> BatchSize | None:
    if batch is None:
        return None
    nodes = isinstance(batch, profile.NodeBatch)
    return BatchSize(kind="INSTANCE_COUNT" if nodes else "CAPACITY_PERCENTAGE", value=batch.value)
