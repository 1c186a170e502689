"""Rules for instances and settings that a ParallelCluster configuration supports; `ultracluster pcluster` runs them."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.model import Design
from config.design.report.parallelcluster import limits
from config.design.report.parallelcluster.nodes import head_group, head_type
from config.design.report.parallelcluster.queues import partitions
from config.diagnostics import Path
from config.rules.registry import ERROR, NOTE, Finding, rule

_SCHEDULING = "https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html"
_HEAD = "https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html"
_MONITORING = "https://docs.aws.amazon.com/parallelcluster/latest/ug/Monitoring-v3.html"
_NETWORK = "https://docs.aws.amazon.com/parallelcluster/latest/ug/network-configuration-v3.html"
_VALIDATORS = f"https://github.com/aws/aws-parallelcluster/tree/v{limits.VERSION}/cli/src/pcluster/validators"
_CONSTANTS = (
    f"https://github.com/aws/aws-parallelcluster/blob/v{limits.VERSION}/cli/src/pcluster/constants.py"
)
_TRY_PCS = "add `--orchestrator pcs`, which reads the profile as a plain Slurm profile"


@rule(
    "PCL001", ERROR, "the instances are launched by EC2",
    why="ParallelCluster launches instances through EC2. EC2 cannot launch instances into a SageMaker training plan.",
    source=_SCHEDULING, reads="compute",
)  # fmt: skip
def instances_are_launched_by_ec2(design: Design) -> Iterator[Finding]:
    """Report training plans."""
    for at, group in design.placed_groups:
        if group.capacity.arn is not None:
            yield Finding(
                at=(*at, "capacity", "kind"),
                message=f"the {group.count} instances of group {group.name} are in a training plan, but ParallelCluster cannot "
                "launch instances into a training plan",
                hint="buy a Capacity Block, and set `orchestrator: {kind: pcs}` and `capacity: {kind: capacity-block, "
                "reservation_id: cr-...}`; or deploy the profile on HyperPod",
            )


@rule(
    "PCL002", ERROR, "the control plane runs Slurm",
    why="ParallelCluster supports Slurm, but not Kubernetes.",
    source=_SCHEDULING, reads="orchestrator",
)  # fmt: skip
def control_plane_is_slurm(design: Design) -> Iterator[Finding]:
    """Check that the control plane is HyperPod with Slurm or PCS."""
    orchestrator = design.profile.orchestrator
    if orchestrator is not None and orchestrator.kind not in ("hyperpod-slurm", "pcs"):
        yield Finding(
            at=("orchestrator", "kind"),
            message=f"{orchestrator.kind} runs Kubernetes, but ParallelCluster supports only Slurm",
            hint=_TRY_PCS,
        )


@rule(
    "PCL003", ERROR, "the cluster has compute nodes",
    why="ParallelCluster rejects a configuration without a queue, and a compute resource with MaxCount 0.",
    source=_SCHEDULING, reads="compute orchestrator",
)  # fmt: skip
def compute_groups_have_nodes(design: Design) -> Iterator[Finding]:
    """Report compute groups without nodes."""
    if design.profile.compute is None or design.profile.orchestrator is None:
        yield Finding(
            at=(),
            message="the profile has no compute groups or no control plane, so ParallelCluster has no cluster to create",
            hint="pass a cluster profile that names this data profile in `data: {profile: ...}`",
        )
        return
    for at, group in design.placed_groups:
        if group.role == "compute" and group.count == 0:
            yield Finding(
                at=(*at, "count"),
                message=f"group {group.name} has 0 nodes, but ParallelCluster requires at least 1",
                hint="increase `count`, or remove the group",
            )


@rule(
    "PCL004", ERROR, "ParallelCluster accepts the names",
    why="Names become parts of host names. NameValidator rejects queue names with more than 25 characters, and the name `default`.",
    source=_VALIDATORS, reads="compute storage",
)  # fmt: skip
def names_are_short(design: Design) -> Iterator[Finding]:
    """Check the names of queues, compute resources, login pools and file systems."""
    for at, name, longest in _names(design):
        if len(name) > longest:
            yield Finding(
                at=at,
                message=f"the name {name} has {len(name)} characters, but ParallelCluster accepts at most {longest}",
                hint="choose a shorter name",
            )
        elif name == limits.FORBIDDEN_NAME:
            yield Finding(
                at=at, message=f"ParallelCluster does not accept the name {name}", hint="choose another name"
            )


def _names(design: Design) -> Iterator[tuple[Path, str, int]]:
    for at, group in design.placed_groups:
        if group.role != "controller":
            yield (*at, "name"), group.name, limits.MAX_NAME_LENGTH
        if group.partition:
            yield (*at, "partition"), group.partition, limits.MAX_NAME_LENGTH
    for at, lustre in design.placed_lustre:
        if lustre.name:
            yield (*at, "name"), lustre.name, limits.MAX_STORAGE_NAME_LENGTH


@rule(
    "PCL005", ERROR, "the number of groups does not exceed ParallelCluster's limits",
    why="MaxCountValidator rejects more queues, compute resources or login pools.",
    source=_CONSTANTS, reads="compute",
)  # fmt: skip
def groups_are_within_limits(design: Design) -> Iterator[Finding]:
    """Check the number of compute and login groups."""
    for role, most, what in (
        ("compute", limits.MAX_QUEUES, "compute resources"),
        ("login", limits.MAX_LOGIN_POOLS, "login pools"),
    ):
        found = sum(group.role == role for _, group in design.placed_groups)
        if found > most:
            yield Finding(
                at=("compute", "groups"),
                message=f"the profile has {found} {role} groups, but a ParallelCluster configuration has at most {most} {what}",
                hint="merge groups with the same instance type",
            )


@rule(
    "PCL006", ERROR, "all nodes have the architecture of the head node",
    why="Nodes use software that the head node shares. InstanceArchitectureCompatibilityValidator rejects another architecture.",
    source=_HEAD, reads="compute",
)  # fmt: skip
def architecture_is_one(design: Design) -> Iterator[Finding]:
    """Compare the architectures of the controller, login and compute groups."""
    head = head_type(design)
    group = head_group(design)
    if head is None:
        return
    of = f"group {group.name}, {head.name}" if group else head.name
    for at, declared, plan in design.planned_groups:
        if plan.instance_type.arch != head.arch:
            yield Finding(
                at=(*at, "instance_type"),
                message=f"{declared.instance_type} is {plan.instance_type.arch}, but the head node ({of}) is {head.arch}",
                hint=f"use {head.arch} instance types for all groups, or {plan.instance_type.arch} types for all groups and the "
                "head node",
            )


@rule(
    "PCL007", ERROR, "all groups of a partition have one purchase option and one Availability Zone",
    why="CapacityType and SubnetIds are set for a queue and apply to all of its compute resources.",
    source=_SCHEDULING, reads="compute",
)  # fmt: skip
def partitions_are_alike(design: Design) -> Iterator[Finding]:
    """Compare purchase option and zone of groups that share a partition."""
    firsts = {group.name: one.groups[0] for one in partitions(design) for group in one.groups}
    for at, declared, plan in design.planned_groups:
        first = firsts.get(plan.name)
        if first is None:
            continue
        for key, ours, theirs in (
            ("capacity", declared.capacity.kind, first.capacity.kind),
            ("zone", plan.subnet, first.subnet),
        ):
            if ours != theirs:
                yield Finding(
                    at=(*at, key),
                    message=f"group {plan.name} has {key} {ours}, but group {first.name} in the same partition has {theirs}",
                    hint=f"use a separate `partition` or queue for group {plan.name}",
                )


@rule(
    "PCL008", ERROR, "the cluster has no UltraServers",
    why="ParallelCluster supports only one UltraServer type, p6e-gb200, in a Capacity Block of 9 or 18 nodes. ParallelCluster's "
    "configuration has no key for IMEX or topology, so nodes cannot use NVLink between them.",
    source=_CONSTANTS, reads="compute", ages="ParallelCluster's support for UltraServers",
)  # fmt: skip
def no_ultraserver(design: Design) -> Iterator[Finding]:
    """Report instance types that are sold only in UltraServers."""
    for at, group, plan in design.planned_groups:
        if plan.instance_type.ultraserver_only:
            yield Finding(
                at=(*at, "instance_type"),
                message=f"{group.instance_type} is part of an UltraServer, but a ParallelCluster configuration has no key for IMEX "
                "or topology",
                hint="deploy the profile with `orchestrator: {kind: hyperpod-slurm}`; or use alinux2023, ubuntu2204, ubuntu2404 "
                "or rocky9, set IMEX up manually, and waive this rule",
            )


@rule(
    "PCL009", ERROR, "ParallelCluster chooses the layout of network interfaces",
    why="The configuration has only the key Efa.Enabled. ParallelCluster chooses the other interfaces of a network card.",
    source=_SCHEDULING, reads="compute orchestrator",
)  # fmt: skip
def interface_layout_is_supported(design: Design) -> Iterator[Finding]:
    """Check `efa.layout` of each group."""
    for at, group in design.placed_groups:
        if group.efa is not None and group.efa.layout == "max-ena":
            yield Finding(
                at=(*at, "efa", "layout"),
                message="`efa: {layout: max-ena}` is not possible, because ParallelCluster chooses the network interfaces",
                hint="set `efa: {layout: ip-saving}`, which is similar to ParallelCluster's layout",
            )


@rule(
    "PCL010", ERROR, "ParallelCluster supports the retention of logs",
    why="ParallelCluster accepts fewer retention periods than CloudWatch Logs.",
    source=_MONITORING, reads="observability",
)  # fmt: skip
def log_retention_is_supported(design: Design) -> Iterator[Finding]:
    """Check `log_retention_days` against the retention periods of ParallelCluster."""
    declared = design.profile.observability
    if declared and declared.log_retention_days not in limits.LOG_RETENTION_DAYS:
        days = declared.log_retention_days
        near = sorted(sorted(limits.LOG_RETENTION_DAYS, key=lambda known: abs(known - days))[:2])
        yield Finding(
            at=("observability", "log_retention_days"),
            message=f"ParallelCluster does not support a log retention of {days} days",
            hint=f"set `log_retention_days` to {' or '.join(map(str, near))}",
        )


_MISSING_KEYS = {
    "budget": "create a budget for the tag ultracluster:profile, which the configuration sets",
    "calendar": "run the scontrol command from `ultracluster plan` on the head node",
}


@rule(
    "PCL011", NOTE, "ParallelCluster supports all sections of the profile",
    why="ParallelCluster does not create Prometheus or Grafana workspaces, accounts, budgets or calendars, and does not run "
    "deep health checks.",
    source=_MONITORING, reads="observability compute budget calendar access",
)  # fmt: skip
def configuration_is_complete(design: Design) -> Iterator[Finding]:
    """Report workspaces, deep health checks, spare nodes, budgets and users: the file cannot have them."""
    declared = design.profile.observability
    for key in ("prometheus", "grafana"):
        if declared is not None and getattr(declared, key) is not None:
            yield Finding(
                at=("observability", key),
                message=f"the configuration leaves out the {key} workspace, because ParallelCluster does not create one",
                hint=f"use the CloudWatch dashboard that ParallelCluster creates, or set `{key}: null`",
            )
    for key, hint in _MISSING_KEYS.items():
        if getattr(design.profile, key) is not None:
            yield Finding(
                at=(key,),
                message=f"the configuration leaves out the {key}, because ParallelCluster does not create one",
                hint=hint,
            )
    if design.profile.access is not None:
        yield Finding(
            at=("access",),
            message="the configuration leaves out `access`, which requires ultracluster's stack and node scripts",
            hint="use ParallelCluster's `DirectoryService`, or create accounts in a custom action",
        )
    for at, group in design.placed_groups:
        if group.deep_health_checks:
            yield Finding(
                at=(*at, "deep_health_checks"),
                message="the configuration leaves out deep health checks, because only HyperPod runs them",
                hint="remove `deep_health_checks`, and run `dcgmi diag` before the first job",
            )
        if group.spare:
            yield Finding(
                at=(*at, "spare"),
                message=f"the configuration leaves out `spare: {group.spare}`, because ParallelCluster does not keep nodes of {group.name} free",
                hint="remove `spare`, or reserve nodes manually with `scontrol create reservation`",
            )


@rule(
    "PCL012", ERROR, "nodes reach the services that ParallelCluster uses",
    why="ParallelCluster's nodes also call EC2, CloudFormation and DynamoDB. A network without internet access needs VPC "
    "endpoints for these services, and DNS settings.",
    source=_NETWORK, reads="network", where="new-network",
)  # fmt: skip
def network_is_not_closed(design: Design) -> Iterator[Finding]:
    """Report a closed network if the profile creates the network."""
    network = design.profile.network
    if network is not None and network.kind == "new" and network.closed:
        yield Finding(
            at=("network", "closed"),
            message="the network is closed and has no VPC endpoints for EC2, CloudFormation and DynamoDB, which ParallelCluster's "
            "nodes call",
            hint="set `closed: false`, or use an existing network that has these endpoints",
        )
