"""What HyperPod refuses of settings that exclude each other, or need each other."""

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
from scripts.cloud.validation.rules.registry import Refusal, Resource, rule

from .hyperpod_groups import CLUSTER, Group, groups, is_continuous, is_on_eks, role_of

_CONTINUOUS = "write NodeProvisioningMode: Continuous, or take it out"
_FILE_SYSTEMS = ("FsxLustreConfig", "FsxOpenZfsConfig")


@rule(codes.STRATEGY_WITHOUT_CONTINUOUS, CLUSTER)
def strategy_without_continuous(resource: Resource) -> Iterator[Refusal]:
    """SlurmConfigStrategy beside NodeProvisioningMode."""
    strategy = text_at(resource.properties, "Orchestrator", "Slurm", "SlurmConfigStrategy")
    if strategy and resource.properties.get("NodeProvisioningMode") == "Continuous":
        yield Refusal(
            "Orchestrator/Slurm/SlurmConfigStrategy",
            f"{strategy} beside continuous provisioning",
            "take SlurmConfigStrategy or NodeProvisioningMode out",
        )


@rule(codes.ONE_KIND_OF_TYPE, CLUSTER)
def type_is_stated_once(resource: Resource) -> Iterator[Refusal]:
    """InstanceType and InstanceRequirements."""
    for path, group in groups(resource):
        stated = [name for name in ("InstanceType", "InstanceRequirements") if group.get(name) is not None]
        if len(stated) != 1:
            told = " and ".join(stated) or "neither InstanceType nor InstanceRequirements"
            yield Refusal(path, told, "write one of InstanceType and InstanceRequirements")


@rule(codes.CONTINUOUS_ONLY, CLUSTER)
def continuous_settings_are_continuous(resource: Resource) -> Iterator[Refusal]:
    """MinInstanceCount, InstanceRequirements and AccountingDatabase."""
    if is_continuous(resource):
        return
    for path, group in groups(resource):
        for name in ("MinInstanceCount", "InstanceRequirements"):
            if value_at(group, name) is not None:
                yield Refusal(f"{path}/{name}", f"{name} without continuous provisioning", _CONTINUOUS)
    if structure_at(resource.properties, "Orchestrator", "Slurm", "AccountingDatabase"):
        path = "Orchestrator/Slurm/AccountingDatabase"
        yield Refusal(path, "a database without continuous provisioning", _CONTINUOUS)


@rule(codes.LEAST_COUNT, CLUSTER)
def least_is_not_above_the_count(resource: Resource) -> Iterator[Refusal]:
    """MinInstanceCount beside InstanceCount."""
    for path, group in groups(resource):
        least, count = number_at(group, "MinInstanceCount"), number_at(group, "InstanceCount")
        if least is not None and count is not None and least > count:
            yield Refusal(f"{path}/MinInstanceCount", f"{least} of {count} nodes", f"write {count} or less")


@rule(codes.ONE_LIFECYCLE, CLUSTER)
def lifecycle_runs_one_script(resource: Resource) -> Iterator[Refusal]:
    """LifeCycleConfig."""
    for path, group in groups(resource):
        config, at = structure_at(group, "LifeCycleConfig"), f"{path}/LifeCycleConfig"
        scripts = [name for name in ("OnCreate", "OnInitComplete") if config.get(name)]
        if len(scripts) == 2:
            yield Refusal(at, "OnCreate beside OnInitComplete", "keep the one that runs your script")
        if scripts and not config.get("SourceS3Uri"):
            yield Refusal(
                at, f"{scripts[0]} without SourceS3Uri", "add the place in S3 that holds the script"
            )


@rule(codes.OTHER_ORCHESTRATOR, CLUSTER)
def settings_are_of_the_orchestrator(resource: Resource) -> Iterator[Refusal]:
    """Keys of Kubernetes on Slurm, and of Slurm on EKS."""
    on_eks = is_on_eks(resource)
    orchestrator, use = (
        ("EKS", "take it out") if on_eks else ("Slurm", "take it out, or write Orchestrator: {Eks: ...}")
    )
    for path, group in groups(resource):
        for name in ("SlurmConfig",) if on_eks else ("KubernetesConfig", "ImageReleaseVersion"):
            if value_at(group, name) is not None:
                yield Refusal(f"{path}/{name}", f"{name} on {orchestrator}", use)
    for name in () if on_eks else ("AutoScaling", "TieredStorageConfig"):
        if text_at(resource.properties, name, "Mode") == "Enable":
            yield Refusal(name, f"{name} on {orchestrator}", use)


@rule(codes.VPC_FOR_THE_CLUSTER, CLUSTER)
def cluster_has_the_vpc_that_it_needs(resource: Resource) -> Iterator[Refusal]:
    """VpcConfig."""
    if resource.properties.get("VpcConfig") is not None:
        return
    needs = ["EKS"] if is_on_eks(resource) else []
    for _, group in groups(resource):
        needs += ["OverrideVpcConfig"] if group.get("OverrideVpcConfig") is not None else []
        needs += [kind for kind in _FILE_SYSTEMS if _configs(group, kind)]
    for need in dict.fromkeys(needs):
        yield Refusal("VpcConfig", f"none, beside {need}", "add VpcConfig with subnets and security groups")


def _configs(group: Group, kind: str) -> list[int]:
    """Which of the group's storage configurations are of a kind."""
    found = structures_at(group, "InstanceStorageConfigs")
    return [number for number, config in found if isinstance(config.get(kind), Mapping)]


@rule(codes.VOLUMES, CLUSTER)
def volumes_are_a_root_and_a_second_one(resource: Resource) -> Iterator[Refusal]:
    """EbsVolumeConfig."""
    for path, group in groups(resource):
        kinds: list[bool] = []
        for number in _configs(group, "EbsVolumeConfig"):
            volume = items_at(group, "InstanceStorageConfigs")[number]["EbsVolumeConfig"]
            at, is_root = (
                f"{path}/InstanceStorageConfigs/{number}/EbsVolumeConfig",
                volume.get("RootVolume") is True,
            )
            if is_root in kinds:
                yield Refusal(at, f"a second {'root' if is_root else 'further'} volume", "take it out")
            kinds.append(is_root)
            if is_root and volume.get("VolumeSizeInGB") is not None:
                yield Refusal(f"{at}/VolumeSizeInGB", "a size of the root volume", "take it out")
            wanted = "VolumeKmsKeyId" if is_root else "VolumeSizeInGB"
            if volume.get(wanted) is None:
                yield Refusal(
                    f"{at}/{wanted}", f"none, for a {'root' if is_root else 'second'} volume", "add it"
                )


@rule(codes.FILE_SYSTEMS, CLUSTER)
def one_file_system_of_a_kind(resource: Resource) -> Iterator[Refusal]:
    """FsxLustreConfig and FsxOpenZfsConfig."""
    for path, group in groups(resource):
        for kind in _FILE_SYSTEMS:
            for number in _configs(group, kind)[1:]:
                at = f"{path}/InstanceStorageConfigs/{number}/{kind}"
                yield Refusal(at, f"a second {kind}", "keep one file system of this kind")
        slurm = [role_of(other) for _, other in groups(resource)]
        if any(slurm) and "Controller" not in slurm and any(_configs(group, kind) for kind in _FILE_SYSTEMS):
            yield Refusal(
                path, "a file system in a cluster without a controller group", "add the controller group"
            )


@rule(codes.KARPENTER, CLUSTER)
def karpenter_has_what_it_needs(resource: Resource) -> Iterator[Refusal]:
    """AutoScaling."""
    if text_at(resource.properties, "AutoScaling", "Mode") != "Enable" or not is_on_eks(resource):
        return
    wanted = {
        "NodeProvisioningMode": resource.properties.get("NodeProvisioningMode") is not None,
        "NodeRecovery": resource.properties.get("NodeRecovery") not in (None, "None"),
        "ClusterRole": resource.properties.get("ClusterRole") is not None,
    }
    for name in (name for name, there in wanted.items() if not there):
        use = {"NodeProvisioningMode": "Continuous", "NodeRecovery": "Automatic"}.get(name, "a role's ARN")
        yield Refusal(name, f"{resource.properties.get(name)}, beside AutoScaling", f"write {use}")
    for path, group in groups(resource):
        for name in ("OnStartDeepHealthChecks", "TrainingPlanArn"):
            if value_at(group, name) is not None:
                yield Refusal(f"{path}/{name}", f"{name} in a cluster that Karpenter scales", "take it out")


@rule(codes.ACCESS_ENTRIES, CLUSTER)
def eks_takes_access_entries(resource: Resource) -> Iterator[Refusal]:
    """The authentication mode of the EKS cluster."""
    cluster = resource.at("AWS::EKS::Cluster", "Orchestrator", "Eks", "ClusterArn")
    mode = text_at(cluster.properties, "AccessConfig", "AuthenticationMode") if cluster else None
    if mode == "CONFIG_MAP":
        told = f"the EKS cluster's AuthenticationMode is {mode}"
        yield Refusal("Orchestrator/Eks/ClusterArn", told, "write API, or API_AND_CONFIG_MAP, there")


@rule(codes.ROLE_WITHOUT_PATH, CLUSTER)
def role_has_no_path(resource: Resource) -> Iterator[Refusal]:
    """ExecutionRole on EKS."""
    for path, group in groups(resource) if is_on_eks(resource) else ():
        role = resource.named(group.get("ExecutionRole"), "AWS::IAM::Role")
        where = text_at(role.properties, "Path") if role else None
        if where not in (None, "/"):
            yield Refusal(
                f"{path}/ExecutionRole", f"the role has the path {where}", "take the role's Path out"
            )
