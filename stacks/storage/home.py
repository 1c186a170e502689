"""Home directories and the directory bucket: construct props from the plans."""

from __future__ import annotations

from typing import cast

from constructs import Construct

from config.design.model import Design
from config.design.storage.home import HomePlan
from config.design.storage.object_storage import ExpressPlan
from stacks.common import retention_of, tags_of
from stacks.foundation import HomeSystem, NodeNetwork
from stacks.storage.client_access import Access, dns_name_of
from ultracluster.storage import (
    DirectoryBucket,
    DirectoryBucketProps,
    OpenZfsCompression,
    OpenZfsFileSystem,
    OpenZfsFileSystemProps,
)


def add_home(
    scope: Construct,
    design: Design,
    plan: HomePlan,
    node_network: NodeNetwork,
    key_arn: str | None,
    access: Access,
) -> HomeSystem:
    """Create the home directories, or the rules for existing ones."""
    if plan.existing:
        identity = plan.existing.file_system_id
        return HomeSystem(
            plan=plan,
            file_system_id=identity,
            dns_name=dns_name_of(design, identity),
            rules=access[plan.existing.security_group_id],
        )
    home = OpenZfsFileSystem(scope, "Home", home_props(design, plan, node_network, key_arn))
    return HomeSystem(
        plan=plan,
        file_system_id=home.file_system_id,
        dns_name=home.dns_name,
        rules=tuple(home.mount_ready),
    )


def home_props(
    design: Design, plan: HomePlan, node_network: NodeNetwork, key_arn: str | None
) -> OpenZfsFileSystemProps:
    """Return the props of new home directories. Clients mount the root volume, as HyperPod does."""
    assert plan.deployment is not None
    assert plan.capacity_gib is not None
    assert plan.throughput_mbps is not None
    backups = plan.backups
    return OpenZfsFileSystemProps(
        name=f"{design.profile.name}-home",
        vpc_id=node_network.vpc_id,
        subnet_ids=[node_network.subnet_ids[plan.subnet]],
        client_security_group_id=node_network.node_security_group_id,
        client_rules=node_network.security_group_rules,
        capacity_gib=plan.capacity_gib,
        throughput_mbps=plan.throughput_mbps,
        deployment_type=plan.deployment.deployment_type,
        weekly_maintenance_start_time=plan.weekly_maintenance_start,
        backup_retention_days=backups.retention_days if backups else 0,
        backup_start_time=backups.daily_start if backups else None,
        copy_tags_to_backups=bool(backups and backups.copy_tags),
        compression=cast(OpenZfsCompression, plan.compression.upper()),
        kms_key_arn=plan.key_arn or key_arn,
        retention=retention_of(design.profile),
        tags=tags_of(design.profile),
    )


def add_express(scope: Construct, design: Design, plan: ExpressPlan) -> DirectoryBucket:
    """Create the directory bucket with SSE-S3; with SSE-KMS, its key could not be changed later."""
    return DirectoryBucket(
        scope,
        "Express",
        DirectoryBucketProps(
            name=f"{design.profile.name}-express",
            zone_id=plan.zone_id,
            retention=retention_of(design.profile),
            expiration_days=plan.retention_days,
            tags=tags_of(design.profile),
        ),
    )
