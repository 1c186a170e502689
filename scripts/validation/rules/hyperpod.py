"""What HyperPod refuses of a cluster's groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from config.catalog import catalog
from config.rules import CODES, deployed
from config.rules.parts import is_plain_path

from .registry import Refusal, Resource, is_later, rule

_TYPE = "AWS::SageMaker::Cluster"
Group = Mapping[str, Any]


def _groups(resource: Resource) -> list[tuple[str, Group]]:
    """Each group with its path."""
    groups = resource.get("InstanceGroups")
    return [(f"InstanceGroups/{n}", g) for n, g in enumerate(groups if isinstance(groups, list) else ())]


def _instance(group: Group) -> Any:
    return catalog().instance(str(group.get("InstanceType", "")).removeprefix("ml."))


def _role(group: Group) -> str | None:
    role: str | None = (group.get("SlurmConfig") or {}).get("NodeType")
    return role


@rule(CODES["ORC002"], _TYPE)
def roles_make_a_slurm_cluster(resource: Resource) -> Iterator[Refusal]:
    """Controllers and login groups of a cluster that is configured by the API."""
    roles = [_role(group) for _, group in _groups(resource)]
    if not any(roles):
        return
    if roles.count("Controller") != 1:
        told = f"{roles.count('Controller')} controller groups, there must be exactly 1"
        yield Refusal("InstanceGroups", told, "give one group SlurmConfig: {NodeType: Controller}")
    if roles.count("Login") > 1:
        told = f"{roles.count('Login')} login groups, 1 is the most"
        yield Refusal("InstanceGroups", told, "keep one login group and raise its InstanceCount")


@rule(CODES["ORC004"], _TYPE)
def groups_have_names_of_their_own(resource: Resource) -> Iterator[Refusal]:
    """InstanceGroupName."""
    seen: set[str] = set()
    for path, group in _groups(resource):
        name = group.get("InstanceGroupName", "")
        if name in seen:
            yield Refusal(f"{path}/InstanceGroupName", f"two groups are named {name}", "rename one")
        seen.add(name)


@rule(CODES["ORC005"], _TYPE)
def deep_health_checks_can_run(resource: Resource) -> Iterator[Refusal]:
    """OnStartDeepHealthChecks against the type and the number of nodes."""
    for path, group in _groups(resource):
        checks, instance = group.get("OnStartDeepHealthChecks") or [], _instance(group)
        at = f"{path}/OnStartDeepHealthChecks"
        if checks and instance is not None and not instance.is_gpu:
            yield Refusal(at, f"{group['InstanceType']} has no GPU to check", "take the checks out")
        elif "InstanceConnectivity" in checks and group.get("InstanceCount", 0) < 2:
            told = f"InstanceConnectivity needs 2 nodes, the group has {group.get('InstanceCount')}"
            yield Refusal(at, told, "write [InstanceStress]")


@rule(CODES["ORC007"], _TYPE)
def threads_fit_the_type(resource: Resource) -> Iterator[Refusal]:
    """ThreadsPerCore."""
    for path, group in _groups(resource):
        threads, instance = group.get("ThreadsPerCore"), _instance(group)
        if instance is not None and isinstance(threads, int) and threads > instance.threads_per_core:
            yield Refusal(
                f"{path}/ThreadsPerCore",
                f"{group['InstanceType']} has {instance.threads_per_core}, not {threads}",
                f"write {instance.threads_per_core}",
            )


@rule(CODES["LUS007"], _TYPE)
def mount_paths_are_plain(resource: Resource) -> Iterator[Refusal]:
    """MountPath of file systems."""
    for path, group in _groups(resource):
        for number, storage in enumerate(group.get("InstanceStorageConfigs") or []):
            mount = (storage.get("FsxLustreConfig") or {}).get("MountPath")
            if mount is not None and not is_later(mount) and not is_plain_path(mount):
                at = f"{path}/InstanceStorageConfigs/{number}/FsxLustreConfig/MountPath"
                yield Refusal(at, f"{mount!r} is not a plain absolute path", "write a path such as /fsx")


@rule(deployed.PARTITIONS_ON_COMPUTE, _TYPE)
def partitions_stand_on_compute_groups(resource: Resource) -> Iterator[Refusal]:
    """SlurmConfig/PartitionNames."""
    for path, group in _groups(resource):
        role, named = _role(group), (group.get("SlurmConfig") or {}).get("PartitionNames") or []
        at = f"{path}/SlurmConfig/PartitionNames"
        if role == "Compute" and len(named) != 1:
            yield Refusal(at, f"{len(named)} partitions, a compute group has exactly 1", "name one partition")
        elif role in ("Controller", "Login") and named:
            yield Refusal(at, f"a {role.lower()} group has no partitions", "take PartitionNames out")


@rule(deployed.STRATEGY_WITHOUT_CONTINUOUS, _TYPE)
def strategy_without_continuous(resource: Resource) -> Iterator[Refusal]:
    """SlurmConfigStrategy beside NodeProvisioningMode."""
    strategy = resource.get("Orchestrator", "Slurm", "SlurmConfigStrategy")
    if strategy and resource.get("NodeProvisioningMode") == "Continuous":
        yield Refusal(
            "Orchestrator/Slurm/SlurmConfigStrategy",
            f"{strategy} beside continuous provisioning",
            "take SlurmConfigStrategy or NodeProvisioningMode out",
        )


RULES = (
    roles_make_a_slurm_cluster,
    groups_have_names_of_their_own,
    deep_health_checks_can_run,
    threads_fit_the_type,
    mount_paths_are_plain,
    partitions_stand_on_compute_groups,
    strategy_without_continuous,
)
