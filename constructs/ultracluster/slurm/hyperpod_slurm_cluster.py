"""A SageMaker HyperPod cluster with Slurm."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from aws_cdk import CfnResource
from constructs import Construct, IDependable

from ultracluster.cfn import Tagged, add_cluster_metadata, add_resource, attribute, tag_list
from ultracluster.slurm.hyperpod_group import (
    HyperPodGroup,
    check_group,
    check_names,
    instance_groups,
    vpc_config,
)
from ultracluster.slurm.hyperpod_lifecycle import Lifecycle, check_lifecycle

SlurmConfigStrategy = Literal["Overwrite", "Managed", "Merge"]
NodeRecovery = Literal["Automatic", "None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountingDatabase:
    """A MySQL-compatible database for Slurm accounting.

    Attributes:
        endpoint: Host name of the database server.
        port: Port of the database server.
        name: Name of the database, which no other cluster uses (HYPERPOD-13). The user in the secret may
            create the database.
        secret_arn: Secret with the user's name and password.
    """

    endpoint: str
    port: int
    name: str
    secret_arn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodClusterProps(Tagged):
    """Properties of a HyperPod cluster and its groups, with either orchestrator.

    Attributes:
        cluster_name: 1 to 63 alphanumeric characters and inner hyphens. Fixed at creation.
        subnet_ids: Subnets of groups without their own subnets. Fixed at creation.
        security_group_ids: Security groups of all nodes. Each security group must allow EFA traffic to itself
            (HYPERPOD-07).
        groups: Instance groups in any order; the template lists them in the order of their names
            (HYPERPOD-21). Slurm requires exactly one controller group. With Kubernetes, groups have no node
            type.
        execution_role_arn: Role of the nodes. The role's path must be empty, because a path invalidates the
            access entry that HyperPod creates in an EKS cluster (HYPERPOD-38).
        node_recovery: `Automatic` reboots or replaces nodes that fail their checks.
        lifecycle: Lifecycle scripts of the nodes. None: no scripts (bootstrap mode).
        scripts_object_keys: Keys of the lifecycle scripts, stored in the resource's metadata. `cdk gc`
            deletes assets that no template names, but a node that is replaced later needs them.
        boot_dependencies: Resources that a node needs to boot, and that these props do not reference: routes,
            endpoints, security group rules, and HyperPod's Helm chart with Kubernetes. Do not add data
            repository associations, which can run for an hour (STORAGE-17).
        reserved_instances: Number of instances in each reservation, by the reservation's id or ARN; stored in
            the resource's metadata. A review of a change then reports whether old and new nodes fit at the
            same time.
    """

    cluster_name: str
    subnet_ids: Sequence[str]
    security_group_ids: Sequence[str]
    groups: Sequence[HyperPodGroup]
    execution_role_arn: str
    node_recovery: NodeRecovery
    lifecycle: Lifecycle | None = None
    scripts_object_keys: Sequence[str] = ()
    boot_dependencies: Sequence[IDependable] = ()
    reserved_instances: Mapping[str, int] = field(default_factory=dict)


def add_hyperpod_cluster(
    scope: Construct,
    props: HyperPodClusterProps,
    orchestrator: Mapping[str, Any],
    *,
    continuous: bool,
    further: Mapping[str, Any] | None = None,
) -> CfnResource:
    """Add a cluster; raises ValueError for groups that HyperPod would reject.

    `further` contains the properties that only one orchestrator has.
    """
    check_names(props.groups)
    check_lifecycle(props.lifecycle)
    for group in props.groups:
        check_group(group)
    properties = {
        "ClusterName": props.cluster_name,
        "NodeRecovery": props.node_recovery,
        "NodeProvisioningMode": "Continuous" if continuous else None,
        "Orchestrator": orchestrator,
        "VpcConfig": vpc_config(props.security_group_ids, props.subnet_ids),
        **(further or {}),
        "InstanceGroups": instance_groups(
            props.groups,
            execution_role_arn=props.execution_role_arn,
            lifecycle=props.lifecycle,
            security_group_ids=props.security_group_ids,
        ),
        "Tags": tag_list(props.tags),
    }
    kind = "AWS::SageMaker::Cluster"
    cluster = add_resource(scope, "Resource", kind, properties, depends_on=props.boot_dependencies)
    add_cluster_metadata(cluster, props.scripts_object_keys, props.reserved_instances)
    return cluster


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodSlurmClusterProps(HyperPodClusterProps):
    """Properties of a cluster with Slurm; `HyperPodClusterProps` describes the other properties.

    Attributes:
        slurm_config_strategy: How a deployment treats manual changes on the cluster: `Overwrite` replaces
            them, `Managed` rejects the update, and `Merge` keeps them. None: continuous provisioning, which
            always merges and does not accept a strategy.
        accounting: Slurm accounting database; requires continuous provisioning, and cannot be removed later.
            None: MariaDB on the controller.
    """

    slurm_config_strategy: SlurmConfigStrategy | None
    accounting: AccountingDatabase | None = None


class HyperPodSlurmCluster(Construct):
    """A HyperPod cluster with Slurm, configured through the API.

    Attributes:
        cluster_arn: ARN of the cluster.
    """

    def __init__(self, scope: Construct, construct_id: str, props: HyperPodSlurmClusterProps) -> None:
        """Create the cluster; raises ValueError for groups that HyperPod would reject."""
        super().__init__(scope, construct_id)
        _check(props)
        continuous = props.slurm_config_strategy is None
        cluster = add_hyperpod_cluster(self, props, {"Slurm": _slurm(props)}, continuous=continuous)
        self.cluster_arn = attribute(cluster, "ClusterArn")


def _slurm(props: HyperPodSlurmClusterProps) -> dict[str, Any]:
    """Return the orchestrator's settings; continuous provisioning requires an empty object."""
    database = props.accounting
    return {
        "SlurmConfigStrategy": props.slurm_config_strategy,
        "AccountingDatabase": database
        and {
            "Endpoint": database.endpoint,
            "Port": database.port,
            "Name": database.name,
            "SecretArn": database.secret_arn,
        },
    }


def _check(props: HyperPodSlurmClusterProps) -> None:
    controllers = [group.name for group in props.groups if group.node_type == "controller"]
    if len(controllers) != 1:
        raise ValueError(f"controller groups {controllers}: exactly one is required")
    logins = [group.name for group in props.groups if group.node_type == "login"]
    if len(logins) > 1:
        raise ValueError(f"login groups {logins}: at most one is allowed")
    if props.slurm_config_strategy is None:
        return
    required = "slurm_config_strategy None (continuous provisioning)"
    if props.accounting is not None:
        raise ValueError(
            f"accounting with slurm_config_strategy {props.slurm_config_strategy!r}: set {required}"
        )
    for group in props.groups:
        if group.min_count is not None or group.fallback_instance_types:
            raise ValueError(
                f"group {group.name!r} has min_count or fallback_instance_types with slurm_config_strategy "
                f"{props.slurm_config_strategy!r}: set {required}"
            )
