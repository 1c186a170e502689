"""A SageMaker HyperPod cluster that runs Slurm."""

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
    """A MySQL-compatible database for Slurm's accounting.

    Attributes:
        endpoint: Its host name.
        port: Its port.
        name: The database in it, of this cluster alone (HYPERPOD-13). Its user may create it.
        secret_arn: The secret with the user's name and password.
    """

    endpoint: str
    port: int
    name: str
    secret_arn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodClusterProps(Tagged):
    """A HyperPod cluster and its groups, under either orchestrator.

    Attributes:
        cluster_name: 1 to 63 alphanumeric characters and inner hyphens. Fixed at creation.
        subnet_ids: Subnets of every group that has none of its own. Fixed at creation.
        security_group_ids: Groups of every machine; each needs EFA's rules to itself (HYPERPOD-07).
        groups: Instance groups in any order: rendered by name (HYPERPOD-21). Exactly one controller with
            Slurm, and no part in Slurm with Kubernetes.
        execution_role_arn: Role of the machines. It may have no path, which breaks the access entry that
            HyperPod makes for it in a cluster of EKS (HYPERPOD-38).
        node_recovery: `Automatic` replaces or reboots machines that fail their checks.
        lifecycle: Scripts of the machines. None: none runs (bootstrap mode).
        scripts_object_keys: Keys of the lifecycle scripts, kept in the resource's metadata: `cdk gc` deletes
            assets that no template names, and a machine that is replaced later needs them.
        boot_dependencies: What a machine needs to boot and nothing in these props refers to: routes,
            endpoints, security group rules, and HyperPod's Helm chart with Kubernetes. Not data repository
            associations, which can take an hour (STORAGE-17).
        reserved_instances: Id or ARN of each reservation to the machines that it holds, kept in the metadata
            of the resource: a review of a change then tells whether old and new nodes fit in at once.
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
    """Add a cluster; raises ValueError for groups that the service would refuse.

    `further`: properties that one orchestrator alone has.
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
    """A cluster that runs Slurm; the rest is described in `HyperPodClusterProps`.

    Attributes:
        slurm_config_strategy: What a deployment does with edits made on the cluster: `Overwrite` them,
            refuse to update (`Managed`) or keep them (`Merge`). None: continuous provisioning, whose own
            way is to merge and which refuses any strategy.
        accounting: Database of Slurm's accounting; continuous provisioning alone takes it, and there is no
            way back. None: MariaDB on the controller.
    """

    slurm_config_strategy: SlurmConfigStrategy | None
    accounting: AccountingDatabase | None = None


class HyperPodSlurmCluster(Construct):
    """A HyperPod cluster whose Slurm the service configures through its API.

    Attributes:
        cluster_arn: The cluster.
    """

    def __init__(self, scope: Construct, construct_id: str, props: HyperPodSlurmClusterProps) -> None:
        """Create the cluster; raises ValueError for groups that the service would refuse."""
        super().__init__(scope, construct_id)
        _check(props)
        continuous = props.slurm_config_strategy is None
        cluster = add_hyperpod_cluster(self, props, {"Slurm": _slurm(props)}, continuous=continuous)
        self.cluster_arn = attribute(cluster, "ClusterArn")


def _slurm(props: HyperPodSlurmClusterProps) -> dict[str, Any]:
    """The orchestrator's settings: an empty object is what continuous provisioning asks for."""
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
        raise ValueError(f"controller groups {controllers}: give exactly one")
    logins = [group.name for group in props.groups if group.node_type == "login"]
    if len(logins) > 1:
        raise ValueError(f"login groups {logins}: give at most one")
    if props.slurm_config_strategy is None:
        return
    given = "slurm_config_strategy None (continuous provisioning)"
    if props.accounting is not None:
        raise ValueError(
            f"accounting with slurm_config_strategy {props.slurm_config_strategy!r}: give {given}"
        )
    for group in props.groups:
        if group.min_count is not None or group.fallback_instance_types:
            raise ValueError(
                f"group {group.name!r} has min_count or fallback_instance_types with slurm_config_strategy "
                f"{props.slurm_config_strategy!r}: give {given}"
            )
