"""A SageMaker HyperPod cluster that runs Slurm."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from constructs import Construct, IDependable

from ultracluster.cfn import add_resource, attribute, tag_list

NodeType = Literal["controller", "login", "compute"]
DeepHealthCheck = Literal["InstanceStress", "InstanceConnectivity"]
SlurmConfigStrategy = Literal["Overwrite", "Managed", "Merge"]
NodeRecovery = Literal["Automatic", "None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreMount:
    """A Lustre file system that HyperPod mounts on a group's machines.

    Attributes:
        dns_name: DNS name of the file system.
        mount_name: Its mount name, 1 to 8 characters.
        mount_path: Where it is mounted. `/fsx` by default.
    """

    dns_name: str
    mount_name: str
    mount_path: str = "/fsx"


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodGroup:
    """One instance group.

    Attributes:
        name: The group's name, at most 63 characters.
        node_type: Its part in Slurm. Fixed once the group exists: rename the group to change it.
        instance_type: The SageMaker type (`ml.p6-b200.48xlarge`).
        count: How many machines.
        partition: The Slurm partition of a compute group; required there and refused elsewhere.
        threads_per_core: 1 turns simultaneous multithreading off. None: the service's default.
        training_plan_arn: The training plan that the machines come from. None: on demand.
        deep_health_checks: Checks run on machines before they join. None by default.
        root_volume_key_arn: KMS key of the root volume. None: the service's key.
        ebs_volume_gib: Size of a secondary volume, mounted at /opt/sagemaker. None: the service's default
            volume.
        ebs_volume_key_arn: KMS key of the secondary volume. None: the service's key.
        lustre: A file system to mount. None by default.
        override_subnet_ids: Subnets instead of the cluster's, for a group in another zone. Fixed once the
            group exists. Empty by default.
    """

    name: str
    node_type: NodeType
    instance_type: str
    count: int
    partition: str | None = None
    threads_per_core: int | None = None
    training_plan_arn: str | None = None
    deep_health_checks: Sequence[DeepHealthCheck] = ()
    root_volume_key_arn: str | None = None
    ebs_volume_gib: int | None = None
    ebs_volume_key_arn: str | None = None
    lustre: LustreMount | None = None
    override_subnet_ids: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodSlurmClusterProps:
    """A cluster and its groups.

    Attributes:
        cluster_name: 1 to 63 alphanumeric characters and inner hyphens. Fixed at creation.
        subnet_ids: Subnets of every group that has none of its own. Fixed at creation.
        security_group_ids: Groups of every machine; each needs EFA's rules to itself (HYPERPOD-07).
        groups: Instance groups in any order: rendered by name (HYPERPOD-21). Exactly one controller.
        slurm_config_strategy: What a deployment does with edits made on the cluster: `Overwrite` them,
            refuse to update (`Managed`) or keep them (`Merge`). None: continuous provisioning, whose own
            way is to merge and which refuses any strategy.
        node_recovery: `Automatic` replaces or reboots machines that fail their checks.
        scripts_s3_uri: Where the lifecycle scripts are.
        on_init_complete: Name of the script that runs once HyperPod has configured a machine (extended mode).
        execution_role_arn: Role of the machines. It may have no path.
        scripts_object_keys: Keys of the lifecycle scripts, kept in the resource's metadata: `cdk gc` deletes
            assets that no template names, and a machine that is replaced later needs them.
        boot_dependencies: What a machine needs to boot and nothing in these props refers to: routes,
            endpoints, security group rules. Not data repository associations, which can take an hour
            (STORAGE-17).
        reserved_instances: Id or ARN of each reservation to the machines that it holds, kept in the metadata
            of the resource: a review of a change then tells whether old and new nodes fit in at once.
        tags: Tags of the cluster.
    """

    cluster_name: str
    subnet_ids: Sequence[str]
    security_group_ids: Sequence[str]
    groups: Sequence[HyperPodGroup]
    slurm_config_strategy: SlurmConfigStrategy | None
    node_recovery: NodeRecovery
    scripts_s3_uri: str
    on_init_complete: str
    execution_role_arn: str
    scripts_object_keys: Sequence[str] = ()
    boot_dependencies: Sequence[IDependable] = ()
    reserved_instances: Mapping[str, int] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)


class HyperPodSlurmCluster(Construct):
    """A HyperPod cluster whose Slurm the service configures, with our scripts run afterwards (extended mode).

    Attributes:
        cluster_arn: The cluster.
    """

    cluster_arn: str

    def __init__(self, scope: Construct, construct_id: str, props: HyperPodSlurmClusterProps) -> None:
        """Create the cluster; raises ValueError for groups that the service would refuse."""
        super().__init__(scope, construct_id)
        _check(props)
        continuous = props.slurm_config_strategy is None
        slurm = {} if continuous else {"SlurmConfigStrategy": props.slurm_config_strategy}
        cluster = add_resource(
            self,
            "Resource",
            "AWS::SageMaker::Cluster",
            {
                "ClusterName": props.cluster_name,
                "NodeRecovery": props.node_recovery,
                "NodeProvisioningMode": "Continuous" if continuous else None,
                "Orchestrator": {"Slurm": slurm},
                "VpcConfig": _vpc_config(props, props.subnet_ids),
                "InstanceGroups": [
                    _instance_group(props, group)
                    for group in sorted(props.groups, key=lambda group: group.name)
                ],
                "Tags": tag_list(props.tags),
            },
            depends_on=props.boot_dependencies,
        )
        if props.scripts_object_keys:
            cluster.add_metadata("ultracluster:scripts", list(props.scripts_object_keys))
        if props.reserved_instances:
            cluster.add_metadata("ultracluster:capacity", dict(sorted(props.reserved_instances.items())))
        self.cluster_arn = attribute(cluster, "ClusterArn")


def _vpc_config(props: HyperPodSlurmClusterProps, subnet_ids: Sequence[str]) -> dict[str, Any]:
    return {"SecurityGroupIds": list(props.security_group_ids), "Subnets": list(subnet_ids)}


def _instance_group(props: HyperPodSlurmClusterProps, group: HyperPodGroup) -> dict[str, Any]:
    """A group's properties. CurrentCount is the service's own and never written."""
    properties: dict[str, Any] = {
        "InstanceGroupName": group.name,
        "InstanceType": group.instance_type,
        "InstanceCount": group.count,
        "ExecutionRole": props.execution_role_arn,
        "LifeCycleConfig": {"SourceS3Uri": props.scripts_s3_uri, "OnInitComplete": props.on_init_complete},
        "SlurmConfig": _slurm_config(group),
        "ThreadsPerCore": group.threads_per_core,
        "TrainingPlanArn": group.training_plan_arn,
        "OnStartDeepHealthChecks": sorted(group.deep_health_checks) or None,
        "InstanceStorageConfigs": _storage_configs(group) or None,
        "OverrideVpcConfig": _vpc_config(props, group.override_subnet_ids)
        if group.override_subnet_ids
        else None,
    }
    return {key: value for key, value in properties.items() if value is not None}


def _slurm_config(group: HyperPodGroup) -> dict[str, Any]:
    config: dict[str, Any] = {"NodeType": group.node_type.capitalize()}
    if group.partition is not None:
        config["PartitionNames"] = [group.partition]
    return config


def _storage_configs(group: HyperPodGroup) -> list[dict[str, Any]]:
    configs: list[dict[str, Any]] = []
    if group.root_volume_key_arn is not None:
        # a root volume takes a key and no size
        root = {"RootVolume": True, "VolumeKmsKeyId": group.root_volume_key_arn}
        configs.append({"EbsVolumeConfig": root})
    if group.ebs_volume_gib is not None:
        volume: dict[str, Any] = {"VolumeSizeInGB": group.ebs_volume_gib}
        if group.ebs_volume_key_arn is not None:
            volume["VolumeKmsKeyId"] = group.ebs_volume_key_arn
        configs.append({"EbsVolumeConfig": volume})
    if group.lustre is not None:
        mount = {
            "DnsName": group.lustre.dns_name,
            "MountName": group.lustre.mount_name,
            "MountPath": group.lustre.mount_path,
        }
        configs.append({"FsxLustreConfig": mount})
    return configs


def _check(props: HyperPodSlurmClusterProps) -> None:
    names = sorted(group.name for group in props.groups)
    if len(set(names)) != len(names):
        raise ValueError(f"group names {names} are not unique: give each group its own name")
    controllers = [group.name for group in props.groups if group.node_type == "controller"]
    if len(controllers) != 1:
        raise ValueError(f"controller groups {controllers}: give exactly one")
    logins = [group.name for group in props.groups if group.node_type == "login"]
    if len(logins) > 1:
        raise ValueError(f"login groups {logins}: give at most one")
    for group in props.groups:
        _check_group(group)


def _check_group(group: HyperPodGroup) -> None:
    if (group.partition is not None) != (group.node_type == "compute"):
        raise ValueError(
            f"{group.node_type} group {group.name!r} has partition {group.partition!r}: "
            "compute groups need one, and no other group may have one"
        )
    if group.ebs_volume_key_arn is not None and group.ebs_volume_gib is None:
        raise ValueError(
            f"group {group.name!r} has ebs_volume_key_arn but no ebs_volume_gib: give the volume a size"
        )
