"""Template rules for HyperPod instance groups: roles, names, types, health checks, plans and partitions."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.capacity.groups import NODES_FOR_CONNECTIVITY
from config.design.capacity.training_plans import plan_arn
from config.design.slurm.hyperpod import RESERVED_PARTITIONS, controller_fault, login_fault
from config.rules.codes import CODES
from config.rules.deployed import hyperpod as codes
from config.rules.parts import is_plain_path
from scripts.cloud.validation.rules.reading import items_at, number_at, structures_at, text_at
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

from .hyperpod_groups import CLUSTER, groups, instance_of, role_of


@rule(CODES["ORC002"], CLUSTER)
def roles_make_a_slurm_cluster(resource: Resource) -> Iterator[Violation]:
    """Check the number of controller and login groups in a cluster with API-driven Slurm configuration."""
    roles = [role_of(group) for _, group in groups(resource)]
    if not any(roles):
        return
    if message := controller_fault(roles.count("Controller")):
        yield Violation("InstanceGroups", message, "set SlurmConfig: {NodeType: Controller} on one group")
    if message := login_fault(roles.count("Login")):
        yield Violation("InstanceGroups", message, "keep one login group and increase its InstanceCount")
    for path, group in groups(resource):
        count = number_at(group, "InstanceCount")
        if role_of(group) == "Controller" and count not in (None, 1):
            message = f"the controller group has {count} nodes; HyperPod supports 1"
            yield Violation(f"{path}/InstanceCount", message, "set InstanceCount to 1")


@rule(CODES["ORC004"], CLUSTER)
def groups_have_names_of_their_own(resource: Resource) -> Iterator[Violation]:
    """Check that each InstanceGroupName is unique."""
    seen: set[str] = set()
    for path, group in groups(resource):
        name = text_at(group, "InstanceGroupName")
        if name in seen:
            yield Violation(
                f"{path}/InstanceGroupName", f"two groups have the name {name}", "rename one of the groups"
            )
        seen |= {name} if name else set()


@rule(CODES["ORC005"], CLUSTER)
def deep_health_checks_can_run(resource: Resource) -> Iterator[Violation]:
    """Check OnStartDeepHealthChecks against the instance type and the number of nodes."""
    for path, group in groups(resource):
        checks, instance = items_at(group, "OnStartDeepHealthChecks"), instance_of(group)
        at, count = f"{path}/OnStartDeepHealthChecks", number_at(group, "InstanceCount")
        if checks and instance is not None and not instance.is_gpu:
            yield Violation(at, f"{group['InstanceType']} has no GPU to check", "remove the health checks")
        elif "InstanceConnectivity" in checks and count is not None and count < NODES_FOR_CONNECTIVITY:
            message = f"InstanceConnectivity requires {NODES_FOR_CONNECTIVITY} nodes; the group has {count}"
            yield Violation(at, message, "remove InstanceConnectivity from the health checks")


@rule(CODES["ORC007"], CLUSTER)
def threads_fit_the_type(resource: Resource) -> Iterator[Violation]:
    """Check ThreadsPerCore against the instance type."""
    for path, group in groups(resource):
        threads, instance = number_at(group, "ThreadsPerCore"), instance_of(group)
        if instance is not None and threads is not None and threads > instance.threads_per_core:
            yield Violation(
                f"{path}/ThreadsPerCore",
                f"{group['InstanceType']} supports ThreadsPerCore {instance.threads_per_core}, not {threads}",
                f"set ThreadsPerCore to {instance.threads_per_core}",
            )


@rule(CODES["ORC011"], CLUSTER)
def partition_names_are_free(resource: Resource) -> Iterator[Violation]:
    """Report partition names that HyperPod or Slurm already uses."""
    for path, group in groups(resource):
        for number, name in enumerate(items_at(group, "SlurmConfig", "PartitionNames")):
            if str(name).lower() in RESERVED_PARTITIONS:
                message = f"{name} is a reserved name, or HyperPod already uses it for a partition"
                yield Violation(f"{path}/SlurmConfig/PartitionNames/{number}", message, "use another name")


@rule(CODES["CAP004"], CLUSTER)
def training_plan_is_of_the_region(resource: Resource) -> Iterator[Violation]:
    """Check the format and the Region of TrainingPlanArn."""
    for path, group in groups(resource):
        text = text_at(group, "TrainingPlanArn")
        if text is None:
            continue
        plan, at = plan_arn(text), f"{path}/TrainingPlanArn"
        if plan is None:
            yield Violation(
                at,
                f"{text!r} is not the ARN of a training plan",
                "copy the ARN from `aws sagemaker list-training-plans`",
            )
        elif plan.region != resource.region:
            message = f"the training plan is in {plan.region}, but the cluster is in {resource.region}"
            yield Violation(at, message, f"use a training plan in {resource.region}")


@rule(CODES["LUS007"], CLUSTER)
def mount_paths_are_plain(resource: Resource) -> Iterator[Violation]:
    """Check the MountPath of file systems."""
    for path, group in groups(resource):
        for number, storage in structures_at(group, "InstanceStorageConfigs"):
            for kind in ("FsxLustreConfig", "FsxOpenZfsConfig"):
                mount = text_at(storage, kind, "MountPath")
                if mount is not None and not is_plain_path(mount):
                    at = f"{path}/InstanceStorageConfigs/{number}/{kind}/MountPath"
                    yield Violation(at, f"{mount!r} is not a plain absolute path", "use a path such as /fsx")


@rule(codes.PARTITIONS_ON_COMPUTE, CLUSTER)
def partitions_stand_on_compute_groups(resource: Resource) -> Iterator[Violation]:
    """Check that compute groups have one of SlurmConfig/PartitionNames, and other groups have none."""
    for path, group in groups(resource):
        role, named = role_of(group), items_at(group, "SlurmConfig", "PartitionNames")
        at = f"{path}/SlurmConfig/PartitionNames"
        if role == "Compute" and len(named) != 1:
            yield Violation(
                at,
                f"the compute group has {len(named)} partitions, but must have exactly 1",
                "set one partition",
            )
        elif role in ("Controller", "Login") and named:
            yield Violation(at, f"a {role.lower()} group does not have partitions", "remove PartitionNames")


@rule(codes.TAINTS_WITHOUT_CHECKS, CLUSTER)
def tainted_groups_run_no_checks(resource: Resource) -> Iterator[Violation]:
    """Check that a group with KubernetesConfig/Taints does not run OnStartDeepHealthChecks."""
    for path, group in groups(resource):
        if items_at(group, "KubernetesConfig", "Taints") and items_at(group, "OnStartDeepHealthChecks"):
            message = "the group has both taints and deep health checks"
            yield Violation(
                f"{path}/KubernetesConfig/Taints", message, "remove OnStartDeepHealthChecks or Taints"
            )
