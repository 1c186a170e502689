"""Template rules for HyperPod settings that exclude or require each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from config.rules.deployed import hyperpod as codes
from scripts.cloud.validation.rules.reading import (
    items_at,
    number_at,
    structure_at,
    structures_at,
    text_at,
    value_at,
)
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

from .hyperpod_groups import CLUSTER, Group, groups, is_continuous, is_on_eks, role_of

_CONTINUOUS = "set NodeProvisioningMode: Continuous, or remove"
_FILE_SYSTEMS = ("FsxLustreConfig", "FsxOpenZfsConfig")


@rule(codes.STRATEGY_WITHOUT_CONTINUOUS, CLUSTER)
def strategy_without_continuous(resource: Resource) -> Iterator[Violation]:
    """Check that SlurmConfigStrategy and continuous NodeProvisioningMode are not both set."""
    strategy = text_at(resource.properties, "Orchestrator", "Slurm", "SlurmConfigStrategy")
    if strategy and resource.properties.get("NodeProvisioningMode") == "Continuous":
        yield Violation(
            "Orchestrator/Slurm/SlurmConfigStrategy",
            f"SlurmConfigStrategy {strategy} is not allowed with continuous provisioning",
            "remove SlurmConfigStrategy or NodeProvisioningMode",
        )


@rule(codes.ONE_KIND_OF_TYPE, CLUSTER)
def type_is_declared_once(resource: Resource) -> Iterator[Violation]:
    """Check that exactly one of InstanceType and InstanceRequirements is set."""
    for path, group in groups(resource):
        declared = [name for name in ("InstanceType", "InstanceRequirements") if group.get(name) is not None]
        if len(declared) != 1:
            message = (
                f"the group has {' and '.join(declared) or 'neither InstanceType nor InstanceRequirements'}"
            )
            yield Violation(path, message, "set one of InstanceType and InstanceRequirements")


@rule(codes.CONTINUOUS_ONLY, CLUSTER)
def continuous_settings_are_continuous(resource: Resource) -> Iterator[Violation]:
    """Check the settings that require continuous provisioning."""
    if is_continuous(resource):
        return
    for path, group in groups(resource):
        for name in ("MinInstanceCount", "InstanceRequirements"):
            if value_at(group, name) is not None:
                yield Violation(
                    f"{path}/{name}", f"{name} requires continuous provisioning", f"{_CONTINUOUS} {name}"
                )
    if structure_at(resource.properties, "Orchestrator", "Slurm", "AccountingDatabase"):
        path = "Orchestrator/Slurm/AccountingDatabase"
        yield Violation(
            path, "AccountingDatabase requires continuous provisioning", f"{_CONTINUOUS} AccountingDatabase"
        )


@rule(codes.LEAST_COUNT, CLUSTER)
def least_is_not_above_the_count(resource: Resource) -> Iterator[Violation]:
    """Check that MinInstanceCount is not above InstanceCount."""
    for path, group in groups(resource):
        least, count = number_at(group, "MinInstanceCount"), number_at(group, "InstanceCount")
        if least is not None and count is not None and least > count:
            yield Violation(
                f"{path}/MinInstanceCount",
                f"MinInstanceCount {least} is above InstanceCount {count}",
                f"set MinInstanceCount to {count} or less",
            )


@rule(codes.ONE_LIFECYCLE, CLUSTER)
def lifecycle_runs_one_script(resource: Resource) -> Iterator[Violation]:
    """Check that LifeCycleConfig has one script and its S3 location."""
    for path, group in groups(resource):
        config, at = structure_at(group, "LifeCycleConfig"), f"{path}/LifeCycleConfig"
        scripts = [name for name in ("OnCreate", "OnInitComplete") if config.get(name)]
        if len(scripts) == 2:
            yield Violation(
                at,
                "OnCreate and OnInitComplete are both set",
                "set only one of them to the name of your script",
            )
        if scripts and not config.get("SourceS3Uri"):
            yield Violation(
                at, f"{scripts[0]} requires SourceS3Uri", "set SourceS3Uri to the S3 location of the script"
            )


@rule(codes.OTHER_ORCHESTRATOR, CLUSTER)
def settings_are_of_the_orchestrator(resource: Resource) -> Iterator[Violation]:
    """Report Kubernetes settings of Slurm clusters and Slurm settings of EKS clusters."""
    on_eks = is_on_eks(resource)
    orchestrator, use = ("EKS", "") if on_eks else ("Slurm", ", or set Orchestrator: {Eks: ...}")
    for path, group in groups(resource):
        for name in ("SlurmConfig",) if on_eks else ("KubernetesConfig", "ImageReleaseVersion"):
            if value_at(group, name) is not None:
                message = f"{name} is not supported on {orchestrator}"
                yield Violation(f"{path}/{name}", message, f"remove {name}{use}")
    for name in () if on_eks else ("AutoScaling", "TieredStorageConfig"):
        if text_at(resource.properties, name, "Mode") == "Enable":
            yield Violation(name, f"{name} is not supported on {orchestrator}", f"remove {name}{use}")


@rule(codes.VPC_FOR_THE_CLUSTER, CLUSTER)
def cluster_has_the_vpc_that_it_needs(resource: Resource) -> Iterator[Violation]:
    """Check that VpcConfig is set if another setting requires it."""
    if resource.properties.get("VpcConfig") is not None:
        return
    needs = ["EKS"] if is_on_eks(resource) else []
    for _, group in groups(resource):
        needs += ["OverrideVpcConfig"] if group.get("OverrideVpcConfig") is not None else []
        needs += [kind for kind in _FILE_SYSTEMS if _configs(group, kind)]
    for need in dict.fromkeys(needs):
        yield Violation(
            "VpcConfig", f"{need} requires VpcConfig", "add VpcConfig with subnets and security groups"
        )


def _configs(group: Group, kind: str) -> list[int]:
    """Return the indexes of the group's storage configurations of one type."""
    found = structures_at(group, "InstanceStorageConfigs")
    return [number for number, config in found if isinstance(config.get(kind), Mapping)]


@rule(codes.VOLUMES, CLUSTER)
def volumes_are_a_root_and_a_second_one(resource: Resource) -> Iterator[Violation]:
    """Check EbsVolumeConfig: at most one root volume and one other volume."""
    for path, group in groups(resource):
        kinds: list[bool] = []
        for number in _configs(group, "EbsVolumeConfig"):
            volume = items_at(group, "InstanceStorageConfigs")[number]["EbsVolumeConfig"]
            at, is_root = (
                f"{path}/InstanceStorageConfigs/{number}/EbsVolumeConfig",
                volume.get("RootVolume") is True,
            )
            if is_root in kinds:
                yield Violation(
                    at,
                    f"the group has a second {'root' if is_root else 'data'} volume",
                    "remove one of the two",
                )
            kinds.append(is_root)
            if is_root and volume.get("VolumeSizeInGB") is not None:
                yield Violation(
                    f"{at}/VolumeSizeInGB", "the root volume does not accept a size", "remove VolumeSizeInGB"
                )
            wanted = "VolumeKmsKeyId" if is_root else "VolumeSizeInGB"
            if volume.get(wanted) is None:
                yield Violation(
                    f"{at}/{wanted}",
                    f"the {'root' if is_root else 'data'} volume requires {wanted}",
                    f"add {wanted}",
                )


@rule(codes.FILE_SYSTEMS, CLUSTER)
def one_file_system_of_a_kind(resource: Resource) -> Iterator[Violation]:
    """Check that a group has one file system of each type, and that its cluster has a controller group."""
    for path, group in groups(resource):
        for kind in _FILE_SYSTEMS:
            for number in _configs(group, kind)[1:]:
                at = f"{path}/InstanceStorageConfigs/{number}/{kind}"
                yield Violation(at, f"the group has a second {kind}", f"remove one {kind}")
        slurm = [role_of(other) for _, other in groups(resource)]
        if any(slurm) and "Controller" not in slurm and any(_configs(group, kind) for kind in _FILE_SYSTEMS):
            yield Violation(
                path, "a cluster with file systems requires a controller group", "add the controller group"
            )


@rule(codes.KARPENTER, CLUSTER)
def karpenter_has_what_it_needs(resource: Resource) -> Iterator[Violation]:
    """Check the settings that Karpenter autoscaling requires or excludes."""
    if text_at(resource.properties, "AutoScaling", "Mode") != "Enable" or not is_on_eks(resource):
        return
    wanted = {
        "NodeProvisioningMode": resource.properties.get("NodeProvisioningMode") is not None,
        "NodeRecovery": resource.properties.get("NodeRecovery") not in (None, "None"),
        "ClusterRole": resource.properties.get("ClusterRole") is not None,
    }
    for name in (name for name, there in wanted.items() if not there):
        use = {"NodeProvisioningMode": "Continuous", "NodeRecovery": "Automatic"}.get(name, "a role's ARN")
        yield Violation(
            name,
            f"AutoScaling requires {name}, which is {resource.properties.get(name) or 'missing'}",
            f"set {name} to {use}",
        )
    for path, group in groups(resource):
        for name in ("OnStartDeepHealthChecks", "TrainingPlanArn"):
            if value_at(group, name) is not None:
                yield Violation(
                    f"{path}/{name}",
                    f"{name} is not allowed in a cluster that Karpenter scales",
                    f"remove {name}",
                )


@rule(codes.ACCESS_ENTRIES, CLUSTER)
def eks_takes_access_entries(resource: Resource) -> Iterator[Violation]:
    """Check the authentication mode of the EKS cluster."""
    cluster = resource.at("AWS::EKS::Cluster", "Orchestrator", "Eks", "ClusterArn")
    mode = text_at(cluster.properties, "AccessConfig", "AuthenticationMode") if cluster else None
    if mode == "CONFIG_MAP":
        message = f"the EKS cluster's AuthenticationMode is {mode}"
        yield Violation(
            "Orchestrator/Eks/ClusterArn",
            message,
            "set the EKS cluster's AuthenticationMode to API or API_AND_CONFIG_MAP",
        )


@rule(codes.ROLE_WITHOUT_PATH, CLUSTER)
def role_has_no_path(resource: Resource) -> Iterator[Violation]:
    """Check that ExecutionRole on EKS does not have a path."""
    for path, group in groups(resource) if is_on_eks(resource) else ():
        role = resource.named(group.get("ExecutionRole"), "AWS::IAM::Role")
        where = text_at(role.properties, "Path") if role else None
        if where not in (None, "/"):
            yield Violation(
                f"{path}/ExecutionRole", f"the role has the path {where}", "remove the role's Path"
            )
