"""Groups and settings that HyperPod with Slurm accepts."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.compute import NODES_FOR_CONNECTIVITY
from config.design.model import Design
from config.design.network import is_local_zone
from config.design.orchestration import TAKEN_PARTITIONS, controller_fault, login_fault
from config.diagnostics import Path
from config.profile.compute import Group
from config.rules.parts import groups, planned_groups
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_REFERENCE = "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html"
_HEALTH = "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-resiliency-slurm.html"
_API = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterInstanceGroupSpecification.html"


def _hyperpod_groups(design: Design) -> Iterator[tuple[Path, Group]]:
    return groups(design) if design.profile.orchestrator else iter(())


@rule(
    "ORC002", ERROR, "a Slurm cluster has one controller, at most one login group, and compute groups",
    why="HyperPod refuses another number of controllers and fails the creation (API-driven configuration).",
    source=_REFERENCE, reads="compute orchestrator",
)  # fmt: skip
def roles_make_a_slurm_cluster(design: Design) -> Iterator[Finding]:
    """The number of groups of each role."""
    if design.profile.compute is None or design.profile.orchestrator is None:
        return
    at = ("compute", "groups")
    roles = [group.role for group in design.profile.compute.groups]
    if message := controller_fault(roles.count("controller")):
        yield Finding(
            at=at,
            message=message,
            hint="state one group with `role: controller` and `count: 1`",
        )
    if message := login_fault(roles.count("login")):
        yield Finding(
            at=at,
            message=message,
            hint="keep one group with `role: login` and raise its `count`",
        )
    if "compute" not in roles:
        yield Finding(at=at, message="no compute group", hint="add a group with `role: compute`")
    for place, group in _hyperpod_groups(design):
        if group.role == "controller" and group.count != 1:
            yield Finding(
                at=(*place, "count"),
                message=f"the controller group has {group.count} nodes, HyperPod takes 1",
                hint="write `count: 1`",
            )
        if group.role == "system":
            yield Finding(
                at=(*place, "role"),
                message="hyperpod-slurm has no system nodes",
                hint="use `role: login` or `role: compute`",
            )


@rule(
    "ORC003", ERROR, "a setting is one that the control plane can honour",
    why="HyperPod has no launch template: the service lays out the interfaces itself, and the setting would be ignored.",
    source=_API, reads="compute orchestrator",
)  # fmt: skip
def settings_are_honoured(design: Design) -> Iterator[Finding]:
    """EFA layouts, and Slurm settings on groups without Slurm jobs."""
    for at, group in _hyperpod_groups(design):
        if group.efa is not None:
            yield Finding(
                at=(*at, "efa"),
                message=f"hyperpod-slurm chooses the interfaces of a node itself; `efa.layout: {group.efa.layout}` cannot be honoured",
                hint="take `efa` out",
            )
        if group.partition is not None and group.role != "compute":
            yield Finding(
                at=(*at, "partition"),
                message=f"a {group.role} group has no partition",
                hint="take `partition` out; only compute groups have one",
            )


@rule(
    "ORC004", ERROR, "groups have names of their own",
    why="HyperPod and the logical ids know a group by its name.",
    source=_API, reads="compute",
)  # fmt: skip
def group_names_differ(design: Design) -> Iterator[Finding]:
    """No name twice."""
    if design.profile.compute is None:
        return
    names = [group.name for group in design.profile.compute.groups]
    for i, name in enumerate(names):
        if name in names[:i]:
            yield Finding(
                at=("compute", "groups", i, "name"),
                message=f"two groups are named {name}",
                hint="give this group another name",
            )


@rule(
    "ORC005", ERROR, "deep health checks run where they can",
    why="The checks stress GPUs and the links between nodes: the service refuses them on CPU types, and connectivity needs two nodes.",
    source=_HEALTH, reads="compute orchestrator",
)  # fmt: skip
def deep_health_checks_can_run(design: Design) -> Iterator[Finding]:
    """Checks against the type and the number of nodes."""
    for at, group in _hyperpod_groups(design):
        instance = catalog().instance(group.instance_type)
        checks = group.deep_health_checks or ()
        here = (*at, "deep_health_checks")
        if checks and instance and not instance.is_gpu:
            yield Finding(
                at=here,
                message=f"{group.instance_type} has no GPU to check",
                hint="take `deep_health_checks` out",
            )
        elif "instance-connectivity" in checks and group.count < NODES_FOR_CONNECTIVITY:
            yield Finding(
                at=here,
                message=f"instance-connectivity needs {NODES_FOR_CONNECTIVITY} nodes, the group has {group.count}",
                hint="write `deep_health_checks: [instance-stress]`",
            )
        for i, check in enumerate(checks):
            if check in checks[:i]:
                yield Finding(at=(*here, i), message=f"{check} is listed twice", hint="take one out")


@rule(
    "ORC006", ERROR, "HyperPod exists in the profile's Region",
    why="CloudFormation does not know the resource type there (HYPERPOD-22).",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod.html", reads="region orchestrator",
)  # fmt: skip
def hyperpod_is_in_the_region(design: Design) -> Iterator[Finding]:
    """The Region has AWS::SageMaker::Cluster."""
    region = catalog().region(design.profile.region)
    if design.profile.orchestrator and region and not region.hyperpod:
        known = ", ".join(sorted(name for name, row in catalog().regions.items() if row.hyperpod))
        yield Finding(
            at=("region",), message=f"HyperPod is not offered in {region.name}", hint=f"it is in {known}"
        )


@rule(
    "ORC007", ERROR, "a node shows no more threads per core than its type has",
    why="Grace has one thread per core; the service refuses 2.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html", reads="compute",
)  # fmt: skip
def threads_fit_the_type(design: Design) -> Iterator[Finding]:
    """threads_per_core against the catalogue."""
    if design.profile.compute is None:
        return
    for i, group in enumerate(design.profile.compute.groups):
        instance = catalog().instance(group.instance_type)
        if instance and group.threads_per_core and group.threads_per_core > instance.threads_per_core:
            yield Finding(
                at=("compute", "groups", i, "threads_per_core"),
                message=f"{group.instance_type} has {instance.threads_per_core} thread per core, not {group.threads_per_core}",
                hint=f"write {instance.threads_per_core}, or take it out",
            )


@rule(
    "ORC008", WARNING, "faulty nodes are replaced automatically",
    why="Without automatic recovery a node that fails a health check stays in the cluster, and jobs with auto-resume wait for ever.",
    source=_HEALTH, reads="orchestrator",
)  # fmt: skip
def nodes_recover(design: Design) -> Iterator[Finding]:
    """node_recovery is automatic."""
    if design.profile.orchestrator and design.profile.orchestrator.node_recovery == "none":
        yield Finding(
            at=("orchestrator", "node_recovery"),
            message="faulty nodes stay in the cluster until somebody replaces them",
            hint="write `node_recovery: automatic`",
        )


@rule(
    "ORC009", ERROR, "the Slurm nodes of a Local Zone stand in it together",
    why="A controller in a zone of the Region, with its workers in the Local Zone, failed at creation without a log "
    "and rolled the cluster back (seen in us-west-2-phx-2a).",
    source="https://github.com/aravneelaws/hyperpod-local-zone-quickstart",
    reads="compute orchestrator network data availability_zone availability_zone_id",
)  # fmt: skip
def local_zone_nodes_stand_together(design: Design) -> Iterator[Finding]:
    """No group of a Local Zone's cluster is in another zone."""
    zone = design.profile.zone
    if not zone or not is_local_zone(zone):
        return
    for at, group in _hyperpod_groups(design):
        if group.zone not in (None, zone):
            yield Finding(
                at=(*at, "zone"),
                message=f"group {group.name} is in {group.zone}, the cluster in the Local Zone {zone}",
                hint="take `zone` out, with an instance type that the Local Zone sells",
            )


@rule(
    "ORC010", NOTE, "software for the nodes is built on nodes of their architecture",
    why="What is compiled on an x86_64 login node does not run on arm64 nodes, and the other way round.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html", reads="compute orchestrator",
)  # fmt: skip
def login_has_the_architecture_of_the_nodes(design: Design) -> Iterator[Finding]:
    """Login and compute groups of one architecture."""
    if design.profile.orchestrator is None:
        return
    compute = {plan.instance_type.arch for plan in design.groups if plan.role == "compute"}
    for at, group, plan in planned_groups(design):
        if group.role == "login" and compute and plan.instance_type.arch not in compute:
            yield Finding(
                at=(*at, "instance_type"),
                message=f"the login node is {plan.instance_type.arch}, the compute nodes are {', '.join(sorted(compute))}",
                hint="build software on a compute node, or in a container of its architecture",
            )


@rule(
    "ORC011", ERROR, "a partition has a name of its own",
    why="Every HyperPod node is in the partition `dev` already, and DEFAULT sets defaults in slurm.conf.",
    source=_REFERENCE, reads="compute orchestrator",
)  # fmt: skip
def partition_names_are_free(design: Design) -> Iterator[Finding]:
    """No partition that HyperPod or Slurm has already."""
    for at, group in _hyperpod_groups(design):
        partition = group.partition or group.name
        if group.role == "compute" and partition in TAKEN_PARTITIONS:
            yield Finding(
                at=(*at, "partition" if group.partition else "name"),
                message=f"the partition of group {group.name} would be {partition}, which is taken",
                hint="give it another `partition`",
            )


RULES = (
    roles_make_a_slurm_cluster,
    settings_are_honoured,
    group_names_differ,
    deep_health_checks_can_run,
    hyperpod_is_in_the_region,
    threads_fit_the_type,
    nodes_recover,
    local_zone_nodes_stand_together,
    login_has_the_architecture_of_the_nodes,
    partition_names_are_free,
)
