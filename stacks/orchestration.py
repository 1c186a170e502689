"""The orchestration layer: HyperPod plan to props."""

from __future__ import annotations

from typing import cast

from constructs import Construct

from config.design.compute import GroupPlan
from config.design.model import Design
from config.design.network import PRIMARY
from config.design.orchestration import HyperPodSlurmPlan
from config.profile.compute import TrainingPlan, instances_of, reservation_of
from stacks.ground import FileSystem, Ground
from stacks.network import tags_of
from ultracluster.orchestration import (
    DeepHealthCheck,
    HyperPodExecutionRole,
    HyperPodExecutionRoleProps,
    HyperPodGroup,
    HyperPodSlurmCluster,
    HyperPodSlurmClusterProps,
    LustreMount,
    NodeRecovery,
    NodeScripts,
    NodeScriptsProps,
    NodeType,
    SlurmConfigStrategy,
)

_CHECKS: dict[str, DeepHealthCheck] = {
    "instance-stress": "InstanceStress",
    "instance-connectivity": "InstanceConnectivity",
}


def add_hyperpod(
    scope: Construct,
    design: Design,
    plan: HyperPodSlurmPlan,
    ground: Ground,
    file_system: FileSystem | None,
    metrics_workspace_arn: str | None,
) -> HyperPodSlurmCluster:
    """The cluster with its node scripts and the role of its nodes."""
    scripts = NodeScripts(
        scope, "Scripts", NodeScriptsProps(files=plan.scripts.files, content_hash=plan.scripts.content_hash)
    )
    role = HyperPodExecutionRole(
        scope,
        "NodeRole",
        HyperPodExecutionRoleProps(
            cluster_name=plan.cluster_name,
            scripts_bucket_name=scripts.bucket_name,
            scripts_prefix=scripts.versions_prefix,
            describe_file_systems=design.lustre is not None and design.lustre.efa,
            remote_write_workspace_arn=metrics_workspace_arn,
            tags=tags_of(design),
        ),
    )
    return HyperPodSlurmCluster(
        scope,
        "HyperPod",
        HyperPodSlurmClusterProps(
            cluster_name=plan.cluster_name,
            subnet_ids=[ground.subnet_ids[PRIMARY]],
            security_group_ids=[ground.node_security_group_id],
            groups=[_group(group, design, ground, file_system) for group in design.groups],
            slurm_config_strategy=cast(SlurmConfigStrategy, plan.slurm_config_strategy.capitalize()),
            node_recovery=cast(NodeRecovery, plan.node_recovery.capitalize()),
            scripts_s3_uri=scripts.s3_uri,
            on_init_complete=plan.scripts.entry,
            execution_role_arn=role.role_arn,
            scripts_object_keys=scripts.object_keys,
            boot_dependencies=(
                *ground.nodes_ready,
                *ground.security_group_rules,
                *(file_system.rules if file_system else ()),
                # so that nodes are gone before the links that carry what they write
                *(file_system.exports if file_system else ()),
            ),
            reserved_instances=_reserved_instances(design),
            tags=tags_of(design),
        ),
    )


def _reserved_instances(design: Design) -> dict[str, int]:
    """What the profile says of the reservations that its groups share."""
    stated = ((reservation_of(g.capacity), instances_of(g.capacity)) for g in design.groups)
    return {reservation: held for reservation, held in stated if reservation and held is not None}


def _group(group: GroupPlan, design: Design, ground: Ground, file_system: FileSystem | None) -> HyperPodGroup:
    mount = None
    if file_system and design.lustre:
        mount = LustreMount(
            dns_name=file_system.dns_name,
            mount_name=file_system.mount_name,
            mount_path=design.lustre.mount_path,
        )
    return HyperPodGroup(
        name=group.name,
        node_type=cast(NodeType, group.role),
        # a type that no list has yet is named like the others: the profile waives CAP010
        instance_type=group.instance_type.hyperpod_name or f"ml.{group.instance_type.name}",
        count=group.count,
        partition=group.partition,
        threads_per_core=group.threads_per_core,
        training_plan_arn=group.capacity.arn if isinstance(group.capacity, TrainingPlan) else None,
        deep_health_checks=[_CHECKS[check] for check in group.deep_health_checks],
        ebs_volume_gib=group.volume_gib,
        lustre=mount,
        override_subnet_ids=() if group.subnet == PRIMARY else (ground.subnet_ids[group.subnet],),
    )
