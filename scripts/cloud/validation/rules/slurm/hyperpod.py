"""What HyperPod refuses of a cluster's groups: roles, names, types, checks, plans and partitions."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.capacity.groups import NODES_FOR_CONNECTIVITY
from config.design.capacity.training_plans import plan_arn
from config.design.slurm.hyperpod import RESERVED_PARTITIONS, controller_fault, login_fault
from config.rules.codes import CODES
from config.rules.deployed import hyperpod as codes
from config.rules.parts import is_plain_path
from scripts.cloud.validation.rules.reading import items_at, number_at, structures_at, text_at
from scripts.cloud.validation.rules.registry import Refusal, Resource, rule

from .hyperpod_groups import CLUSTER, groups, instance_of, role_of


@rule(CODES["ORC002"], CLUSTER)
def roles_make_a_slurm_cluster(resource: Resource) -> Iterator[Refusal]:
    """Controllers and login groups of a cluster that is configured by the API."""
    roles = [role_of(group) for _, group in groups(resource)]
    if not any(roles):
        return
    if told := controller_fault(roles.count("Controller")):
        yield Refusal("InstanceGroups", told, "give one group SlurmConfig: {NodeType: Controller}")
    if told := login_fault(roles.count("Login")):
        yield Refusal("InstanceGroups", told, "keep one login group and raise its InstanceCount")
    for path, group in groups(resource):
        count = number_at(group, "InstanceCount")
        if role_of(group) == "Controller" and count not in (None, 1):
            told = f"the controller group has {count} nodes, HyperPod takes 1"
            yield Refusal(f"{path}/InstanceCount", told, "write 1")


@rule(CODES["ORC004"], CLUSTER)
def groups_have_names_of_their_own(resource: Resource) -> Iterator[Refusal]:
    """InstanceGroupName."""
    seen: set[str] = set()
    for path, group in groups(resource):
        name = text_at(group, "InstanceGroupName")
        if name in seen:
            yield Refusal(f"{path}/InstanceGroupName", f"two groups are named {name}", "rename one")
        seen |= {name} if name else set()


@rule(CODES["ORC005"], CLUSTER)
def deep_health_checks_can_run(resource: Resource) -> Iterator[Refusal]:
    """OnStartDeepHealthChecks against the type and the number of nodes."""
    for path, group in groups(resource):
        checks, instance = items_at(group, "OnStartDeepHealthChecks"), instance_of(group)
        at, count = f"{path}/OnStartDeepHealthChecks", number_at(group, "InstanceCount")
        if checks and instance is not None and not instance.is_gpu:
            yield Refusal(at, f"{group['InstanceType']} has no GPU to check", "take the checks out")
        elif "InstanceConnectivity" in checks and count is not None and count < NODES_FOR_CONNECTIVITY:
            told = f"InstanceConnectivity needs {NODES_FOR_CONNECTIVITY} nodes, the group has {count}"
            yield Refusal(at, told, "write [InstanceStress]")


@rule(CODES["ORC007"], CLUSTER)
def threads_fit_the_type(resource: Resource) -> Iterator[Refusal]:
    """ThreadsPerCore."""
    for path, group in groups(resource):
        threads, instance = number_at(group, "ThreadsPerCore"), instance_of(group)
        if instance is not None and threads is not None and threads > instance.threads_per_core:
            yield Refusal(
                f"{path}/ThreadsPerCore",
                f"{group['InstanceType']} has {instance.threads_per_core}, not {threads}",
                f"write {instance.threads_per_core}",
            )


@rule(CODES["ORC011"], CLUSTER)
def partition_names_are_free(resource: Resource) -> Iterator[Refusal]:
    """Names of partitions that HyperPod or Slurm has already."""
    for path, group in groups(resource):
        for number, name in enumerate(items_at(group, "SlurmConfig", "PartitionNames")):
            if str(name).lower() in RESERVED_PARTITIONS:
                told = f"{name} is a partition, or a word, that Slurm has already"
                yield Refusal(f"{path}/SlurmConfig/PartitionNames/{number}", told, "take another name")


@rule(CODES["CAP004"], CLUSTER)
def training_plan_is_of_the_region(resource: Resource) -> Iterator[Refusal]:
    """TrainingPlanArn."""
    for path, group in groups(resource):
        text = text_at(group, "TrainingPlanArn")
        if text is None:
            continue
        plan, at = plan_arn(text), f"{path}/TrainingPlanArn"
        if plan is None:
            yield Refusal(
                at, f"{text!r} is not the ARN of a training plan", "take it from list-training-plans"
            )
        elif plan.region != resource.region:
            told = f"the training plan is in {plan.region}, the cluster in {resource.region}"
            yield Refusal(at, told, f"name a plan of {resource.region}")


@rule(CODES["LUS007"], CLUSTER)
def mount_paths_are_plain(resource: Resource) -> Iterator[Refusal]:
    """MountPath of file systems."""
    for path, group in groups(resource):
        for number, storage in structures_at(group, "InstanceStorageConfigs"):
            for kind in ("FsxLustreConfig", "FsxOpenZfsConfig"):
                mount = text_at(storage, kind, "MountPath")
                if mount is not None and not is_plain_path(mount):
                    at = f"{path}/InstanceStorageConfigs/{number}/{kind}/MountPath"
                    yield Refusal(at, f"{mount!r} is not a plain absolute path", "write a path such as /fsx")


@rule(codes.PARTITIONS_ON_COMPUTE, CLUSTER)
def partitions_stand_on_compute_groups(resource: Resource) -> Iterator[Refusal]:
    """SlurmConfig/PartitionNames."""
    for path, group in groups(resource):
        role, named = role_of(group), items_at(group, "SlurmConfig", "PartitionNames")
        at = f"{path}/SlurmConfig/PartitionNames"
        if role == "Compute" and len(named) != 1:
            yield Refusal(at, f"{len(named)} partitions, a compute group has exactly 1", "name one partition")
        elif role in ("Controller", "Login") and named:
            yield Refusal(at, f"a {role.lower()} group has no partitions", "take PartitionNames out")


@rule(codes.TAINTS_WITHOUT_CHECKS, CLUSTER)
def tainted_groups_run_no_checks(resource: Resource) -> Iterator[Refusal]:
    """KubernetesConfig/Taints beside OnStartDeepHealthChecks."""
    for path, group in groups(resource):
        if items_at(group, "KubernetesConfig", "Taints") and items_at(group, "OnStartDeepHealthChecks"):
            told = "taints beside deep health checks"
            yield Refusal(
                f"{path}/KubernetesConfig/Taints", told, "take OnStartDeepHealthChecks or Taints out"
            )
