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
class OpenZfsMount:
    """An OpenZFS file system that HyperPod mounts on a group's machines.

    Attributes:
        dns_name: DNS name of the file system.
        mount_path: Where its root volume is mounted. `/home` by default.
    """

    dns_name: str
    mount_path: str = "/home"


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodGroup:
    """One instance group.

    Attributes:
        name: The group's name, at most 63 characters.
        node_type: Its part in Slurm. Fixed once the group exists: rename the group to change it. None: the
            cluster runs Kubernetes.
        instance_type: The SageMaker type (`ml.p6-b200.48xlarge`).
        count: How many machines.
        fallback_instance_types: SageMaker types to take where `instance_type` cannot be had, the first before
            the second. None by default; continuous provisioning alone takes any.
        min_count: Machines without which the service gives the group up after 3 hours. None: it never does;
            continuous provisioning alone takes it.
        image_id: AMI of the machines. None: the service's newest.
        partition: The Slurm partition of a compute group; required there and refused elsewhere.
        threads_per_core: 1 turns simultaneous multithreading off. None: the service's default.
        training_plan_arn: The training plan that the machines come from. None: on demand.
        deep_health_checks: Checks run on machines before they join. None by default.
        root_volume_key_arn: KMS key of the root volume. None: the service's key.
        ebs_volume_gib: Size of a secondary volume, mounted at /opt/sagemaker. None: the service's default
            volume.
        ebs_volume_key_arn: KMS key of the secondary volume. None: the service's key.
        lustre: A file system to mount. None by default.
        open_zfs: Home directories to mount. None by default.
        scheduled_update: Updates of the AMI by the clock. None by default.
        auto_patch: Patches of the AMI as machines are idle. None by default.
        image_release: Release of HyperPod's own image, with Kubernetes alone. None: the newest of the day.
        spot: Whether machines are spot, with Kubernetes alone. False by default.
        labels: Labels of the machines in Kubernetes. None by default.
        taints: Taints of the machines in Kubernetes; not beside `deep_health_checks`. None by default.
        override_subnet_ids: Subnets instead of the cluster's, for a group in another zone. Fixed once the
            group exists. Empty by default.
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
    """The property InstanceGroups, by name: CloudFormation compares lists by their order (HYPERPOD-21)."""
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
    """The property VpcConfig of a cluster or a group."""
    return {"SecurityGroupIds": list(security_group_ids), "Subnets": list(subnet_ids)}


def group_properties(group: HyperPodGroup, of_all_groups: Mapping[str, Any]) -> dict[str, Any]:
    """What a group says, with what the cluster says of all groups (role and scripts).

    CurrentCount is the service's own and never written.
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
        # a root volume takes a key and no size
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
    """Raise ValueError for two groups of one name."""
    names = sorted(group.name for group in groups)
    if len(set(names)) != len(names):
        raise ValueError(f"group names {names} are not unique: give each group its own name")


def check_group(group: HyperPodGroup) -> None:
    """Raise ValueError for a group that contradicts itself."""
    if (group.partition is not None) != (group.node_type == "compute"):
        raise ValueError(
            f"{group.node_type or 'Kubernetes'} group {group.name!r} has partition {group.partition!r}: "
            "compute groups need one, and no other group may have one"
        )
    if group.ebs_volume_key_arn is not None and group.ebs_volume_gib is None:
        raise ValueError(
            f"group {group.name!r} has ebs_volume_key_arn but no ebs_volume_gib: give the volume a size"
        )
    if group.taints and group.deep_health_checks:
        raise ValueError(
            f"group {group.name!r} has taints and deep_health_checks {list(group.deep_health_checks)}: "
            "give one of them"
        )
    if group.image_id is not None and group.image_release is not None:
        raise ValueError(f"group {group.name!r} has image_id and image_release: give one of them")
    if group.min_count is not None and group.min_count > group.count:
        raise ValueError(
            f"group {group.name!r} has min_count {group.min_count} of {group.count}: "
            f"give {group.count} or less"
        )
