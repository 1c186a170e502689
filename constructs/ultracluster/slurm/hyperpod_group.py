"""An instance group of a SageMaker HyperPod cluster."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ultracluster.slurm.hyperpod_labels import KubernetesTaint, kubernetes_config
from ultracluster.slurm.hyperpod_lifecycle import Lifecycle, lifecycle_config
from ultracluster.slurm.hyperpod_updates import (
    AutoPatch,
    ScheduledUpdate,
    auto_patch_config,
    scheduled_update_config,
)

NodeType = Literal["controller", "login", "compute"]
DeepHealthCheck = Literal["InstanceStress", "InstanceConnectivity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreMount:
    """A Lustre file system that HyperPod mounts on the nodes of a group.

    Attributes:
        dns_name: DNS name of the file system.
        mount_name: Mount name of the file system, 1 to 8 characters.
        mount_path: Mount path on the nodes. `/fsx` by default.
    """

    dns_name: str
    mount_name: str
    mount_path: str = "/fsx"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenZfsMount:
    """An OpenZFS file system that HyperPod mounts on the nodes of a group.

    Attributes:
        dns_name: DNS name of the file system.
        mount_path: Mount path of the root volume. `/home` by default.
    """

    dns_name: str
    mount_path: str = "/home"


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodGroup:
    """An instance group.

    Attributes:
        name: Name of the group, at most 63 characters.
        node_type: Node type in Slurm. The type of a group cannot change: to change the type, rename the
            group. None: the cluster runs Kubernetes.
        instance_type: The SageMaker instance type (`ml.p6-b200.48xlarge`).
        count: Number of nodes.
        fallback_instance_types: SageMaker instance types if `instance_type` has no capacity, in order of
            preference. None by default; requires continuous provisioning.
        min_count: Minimum number of nodes. HyperPod scales the group back to 0 if it has fewer nodes after 3
            hours. None: no minimum. Requires continuous provisioning.
        image_id: AMI of the nodes. None: HyperPod's newest image.
        partition: Slurm partition of a compute group; required for compute groups, rejected for other groups.
        threads_per_core: `1` disables simultaneous multithreading. None: HyperPod's default.
        training_plan_arn: Training plan of the nodes. None: on-demand.
        deep_health_checks: Checks that run before nodes join the cluster. None by default.
        root_volume_key_arn: KMS key of the root volume. None: HyperPod's key.
        ebs_volume_gib: Size of a secondary volume, mounted at /opt/sagemaker. None: HyperPod's default
            volume.
        ebs_volume_key_arn: KMS key of the secondary volume. None: HyperPod's key.
        lustre: A file system to mount. None by default.
        open_zfs: Home directories to mount. None by default.
        scheduled_update: Updates of the AMI on a schedule. None by default.
        auto_patch: Security patches of the AMI on idle nodes. None by default.
        image_release: Release of HyperPod's image, only with Kubernetes. None: the newest release.
        spot: Whether nodes are Spot Instances, only with Kubernetes. False by default.
        labels: Kubernetes labels of the nodes. None by default.
        taints: Kubernetes taints of the nodes; not allowed with `deep_health_checks`. None by default.
        override_subnet_ids: Subnets that a group in another Availability Zone uses instead of the cluster's
            subnets. Fixed at creation. Empty by default.
    """

    name: str
    node_type: NodeType | None
    instance_type: str
    count: int
    fallback_instance_types: Sequence[str] = ()
    min_count: int | None = None
    image_id: str | None = None
    partition: str | None = None
    threads_per_core: int | None = None
    training_plan_arn: str | None = None
    deep_health_checks: Sequence[DeepHealthCheck] = ()
    root_volume_key_arn: str | None = None
    ebs_volume_gib: int | None = None
    ebs_volume_key_arn: str | None = None
    lustre: LustreMount | None = None
    open_zfs: OpenZfsMount | None = None
    scheduled_update: ScheduledUpdate | None = None
    auto_patch: AutoPatch | None = None
    image_release: str | None = None
    spot: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Sequence[KubernetesTaint] = ()
    override_subnet_ids: Sequence[str] = ()


def instance_groups(
    groups: Sequence[HyperPodGroup],
    *,
    execution_role_arn: str,
    lifecycle: Lifecycle | None,
    security_group_ids: Sequence[str],
) -> list[dict[str, Any]]:
    """Return InstanceGroups, sorted by name: CloudFormation compares lists by their order (HYPERPOD-21)."""
    of_all_groups = {"ExecutionRole": execution_role_arn, "LifeCycleConfig": lifecycle_config(lifecycle)}
    return [
        {
            **group_properties(group, of_all_groups),
            "OverrideVpcConfig": vpc_config(security_group_ids, group.override_subnet_ids)
            if group.override_subnet_ids
            else None,
        }
        for group in sorted(groups, key=lambda group: group.name)
    ]


def vpc_config(security_group_ids: Sequence[str], subnet_ids: Sequence[str]) -> dict[str, Any]:
    """Return the property VpcConfig of a cluster or a group."""
    return {"SecurityGroupIds": list(security_group_ids), "Subnets": list(subnet_ids)}


def group_properties(group: HyperPodGroup, of_all_groups: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of a group, including the role and scripts that all groups share.

    CurrentCount is omitted, because HyperPod sets it.
    """
    types = [group.instance_type, *group.fallback_instance_types]
    flexible = len(types) > 1
    return {
        "InstanceGroupName": group.name,
        "InstanceType": None if flexible else group.instance_type,
        "InstanceRequirements": {"InstanceTypes": types} if flexible else None,
        "InstanceCount": group.count,
        "MinInstanceCount": group.min_count,
        "ImageId": group.image_id,
        "ImageReleaseVersion": group.image_release,
        "CapacityRequirements": {"Spot": {}} if group.spot else None,
        "KubernetesConfig": kubernetes_config(group.labels, group.taints),
        **of_all_groups,
        "SlurmConfig": _slurm_config(group),
        "ThreadsPerCore": group.threads_per_core,
        "TrainingPlanArn": group.training_plan_arn,
        "OnStartDeepHealthChecks": sorted(group.deep_health_checks) or None,
        "InstanceStorageConfigs": _storage_configs(group) or None,
        "ScheduledUpdateConfig": scheduled_update_config(group.scheduled_update),
        "AutoPatchConfig": auto_patch_config(group.auto_patch),
    }


def _slurm_config(group: HyperPodGroup) -> dict[str, Any] | None:
    if group.node_type is None:
        return None
    partitions = None if group.partition is None else [group.partition]
    return {"NodeType": group.node_type.capitalize(), "PartitionNames": partitions}


def _storage_configs(group: HyperPodGroup) -> list[dict[str, Any]]:
    configs: list[dict[str, Any]] = []
    if group.root_volume_key_arn is not None:
        # a root volume has a key, but no size
        root = {"RootVolume": True, "VolumeKmsKeyId": group.root_volume_key_arn}
        configs.append({"EbsVolumeConfig": root})
    if group.ebs_volume_gib is not None:
        volume = {"VolumeSizeInGB": group.ebs_volume_gib, "VolumeKmsKeyId": group.ebs_volume_key_arn}
        configs.append({"EbsVolumeConfig": volume})
    if group.lustre is not None:
        mount = {
            "DnsName": group.lustre.dns_name,
            "MountName": group.lustre.mount_name,
            "MountPath": group.lustre.mount_path,
        }
        configs.append({"FsxLustreConfig": mount})
    if group.open_zfs is not None:
        home = {"DnsName": group.open_zfs.dns_name, "MountPath": group.open_zfs.mount_path}
        configs.append({"FsxOpenZfsConfig": home})
    return configs


def check_names(groups: Sequence[HyperPodGroup]) -> None:
    """Raise ValueError if two groups have the same name."""
    names = sorted(group.name for group in groups)
    if len(set(names)) != len(names):
        raise ValueError(f"group names {names} are not unique: use a unique name for each group")


def check_group(group: HyperPodGroup) -> None:
    """Raise ValueError for a group with contradictory properties."""
    if (group.partition is not None) != (group.node_type == "compute"):
        raise ValueError(
            f"{group.node_type or 'Kubernetes'} group {group.name!r} has partition {group.partition!r}: "
            "compute groups require a partition, and other groups must not have one"
        )
    if group.ebs_volume_key_arn is not None and group.ebs_volume_gib is None:
        raise ValueError(
            f"group {group.name!r} has ebs_volume_key_arn but no ebs_volume_gib: set the size of the volume"
        )
    if group.taints and group.deep_health_checks:
        raise ValueError(
            f"group {group.name!r} has taints and deep_health_checks {list(group.deep_health_checks)}: "
            "set one of them"
        )
    if group.image_id is not None and group.image_release is not None:
        raise ValueError(f"group {group.name!r} has image_id and image_release: set one of them")
    if group.min_count is not None and group.min_count > group.count:
        raise ValueError(
            f"group {group.name!r} has min_count {group.min_count} of {group.count}: "
            f"set {group.count} or less"
        )
