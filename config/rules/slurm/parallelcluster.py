"""Machines and settings that a ParallelCluster file can have; looked at when one is written."""

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
_TRY_PCS = "`--orchestrator pcs` reads the profile as one of plain Slurm"


@rule(
    "PCL001", ERROR, "the machines come from EC2",
    why="A training plan is SageMaker's: EC2 launches nothing into it, and ParallelCluster launches through EC2.",
    source=_SCHEDULING, reads="compute",
)  # fmt: skip
def machines_come_from_ec2(design: Design) -> Iterator[Finding]:
    """No training plan."""
    for at, group in design.placed_groups:
        if group.capacity.arn is not None:
            yield Finding(
                at=(*at, "capacity", "kind"),
                message=f"the {group.count} machines of group {group.name} are a training plan's; ParallelCluster "
                "launches none into it",
                hint="buy a Capacity Block, and write `orchestrator: {kind: pcs}` with `capacity: {kind: capacity-block, "
                "reservation_id: cr-...}`; or deploy on HyperPod",
            )


@rule(
    "PCL002", ERROR, "the control plane is Slurm's",
    why="ParallelCluster has one scheduler, Slurm; a cluster of Kubernetes is another thing.",
    source=_SCHEDULING, reads="orchestrator",
)  # fmt: skip
def control_plane_is_slurm(design: Design) -> Iterator[Finding]:
    """HyperPod with Slurm, or PCS."""
    orchestrator = design.profile.orchestrator
    if orchestrator is not None and orchestrator.kind not in ("hyperpod-slurm", "pcs"):
        yield Finding(
            at=("orchestrator", "kind"),
            message=f"{orchestrator.kind} is Kubernetes; ParallelCluster runs Slurm alone",
            hint=_TRY_PCS,
        )


@rule(
    "PCL003", ERROR, "there are nodes for jobs",
    why="A file without a queue is refused, and so is a compute resource whose MaxCount is 0.",
    source=_SCHEDULING, reads="compute orchestrator",
)  # fmt: skip
def there_are_nodes(design: Design) -> Iterator[Finding]:
    """Compute groups of at least one node."""
    if design.profile.compute is None or design.profile.orchestrator is None:
        yield Finding(
            at=(),
            message="no machines or no control plane: there is no cluster to write a file of",
            hint="name the profile of a cluster; it says `data: {profile: ...}` where this one is its data profile",
        )
        return
    for at, group in design.placed_groups:
        if group.role == "compute" and group.count == 0:
            yield Finding(
                at=(*at, "count"),
                message=f"group {group.name} has 0 nodes, a compute resource has 1 at least",
                hint="raise `count`, or take the group out",
            )


@rule(
    "PCL004", ERROR, "names are as short as ParallelCluster wants them",
    why="They become parts of node names: NameValidator refuses more than 25 letters, and `default`.",
    source=_VALIDATORS, reads="compute storage",
)  # fmt: skip
def names_are_short(design: Design) -> Iterator[Finding]:
    """Queues, compute resources, pools and file systems."""
    for at, name, longest in _names(design):
        if len(name) > longest:
            yield Finding(
                at=at,
                message=f"{name} has {len(name)} letters, ParallelCluster takes {longest}",
                hint="give it a shorter name",
            )
        elif name == limits.FORBIDDEN_NAME:
            yield Finding(
                at=at, message=f"ParallelCluster gives nothing the name {name}", hint="give it another name"
            )


def _names(design: Design) -> Iterator[tuple[Path, str, int]]:
    for at, group in design.placed_groups:
        if group.role != "controller":
            yield (*at, "name"), group.name, limits.LONGEST_NAME
        if group.partition:
            yield (*at, "partition"), group.partition, limits.LONGEST_NAME
    for at, lustre in design.placed_lustre:
        if lustre.name:
            yield (*at, "name"), lustre.name, limits.LONGEST_STORAGE_NAME


@rule(
    "PCL005", ERROR, "there are no more groups than a file can have",
    why="MaxCountValidator refuses more queues, compute resources or pools of login nodes.",
    source=_CONSTANTS, reads="compute",
)  # fmt: skip
def groups_are_not_too_many(design: Design) -> Iterator[Finding]:
    """Compute and login groups."""
    for role, most, what in (
        ("compute", limits.MOST_QUEUES, "compute resources"),
        ("login", limits.MOST_POOLS, "pools of login nodes"),
    ):
        found = sum(group.role == role for _, group in design.placed_groups)
        if found > most:
            yield Finding(
                at=("compute", "groups"),
                message=f"{found} {role} groups, a file has {most} {what} at most",
                hint="put machines of one type into one group",
            )


@rule(
    "PCL006", ERROR, "all nodes have the head node's architecture",
    why="Software is shared from the head node: InstanceArchitectureCompatibilityValidator refuses another one.",
    source=_HEAD, reads="compute",
)  # fmt: skip
def architecture_is_one(design: Design) -> Iterator[Finding]:
    """The controller, login and compute groups."""
    head = head_type(design)
    group = head_group(design)
    if head is None:
        return
    of = f"group {group.name}, {head.name}" if group else head.name
    for at, stated, plan in design.planned_groups:
        if plan.instance_type.arch != head.arch:
            yield Finding(
                at=(*at, "instance_type"),
                message=f"{stated.instance_type} is {plan.instance_type.arch}, the head node ({of}) {head.arch}",
                hint=f"use types of {head.arch} alone, or {plan.instance_type.arch} for all groups",
            )


@rule(
    "PCL007", ERROR, "nodes of one partition are bought one way, in one zone",
    why="CapacityType and SubnetIds are a queue's: all of its compute resources have the same.",
    source=_SCHEDULING, reads="compute",
)  # fmt: skip
def partitions_are_alike(design: Design) -> Iterator[Finding]:
    """Groups that share a partition."""
    firsts = {group.name: one.groups[0] for one in partitions(design) for group in one.groups}
    for at, stated, plan in design.planned_groups:
        first = firsts.get(plan.name)
        if first is None:
            continue
        for key, ours, theirs in (
            ("capacity", stated.capacity.kind, first.capacity.kind),
            ("zone", plan.subnet, first.subnet),
        ):
            if ours != theirs:
                yield Finding(
                    at=(*at, key),
                    message=f"group {plan.name} has {key} {ours}, group {first.name} of the same partition {theirs}",
                    hint="give it a `partition` or queue of its own",
                )


@rule(
    "PCL008", ERROR, "an UltraServer is not asked for",
    why="ParallelCluster starts p6e-gb200 from a Capacity Block in blocks of 9 or 18 nodes and no other UltraServer, and "
    "has no key for IMEX or for the topology: a file alone gives no NVLink between nodes.",
    source=_CONSTANTS, reads="compute", ages="what ParallelCluster does for UltraServers",
)  # fmt: skip
def no_ultraserver(design: Design) -> Iterator[Finding]:
    """Types that are sold in UltraServers alone."""
    for at, group, plan in design.planned_groups:
        if plan.instance_type.ultraserver_only:
            yield Finding(
                at=(*at, "instance_type"),
                message=f"{group.instance_type} is part of an UltraServer: a file has no key for its IMEX and topology",
                hint="deploy it with `orchestrator: {kind: hyperpod-slurm}`; with ParallelCluster set IMEX up by hand, on "
                "alinux2023, ubuntu2204, ubuntu2404 or rocky9, and waive this",
            )


@rule(
    "PCL009", ERROR, "interfaces are laid out as ParallelCluster does it",
    why="The file has Efa.Enabled and no more: the rest of a card's interfaces is ParallelCluster's own choice.",
    source=_SCHEDULING, reads="compute orchestrator",
)  # fmt: skip
def layout_is_theirs(design: Design) -> Iterator[Finding]:
    """No layout beyond EFA or none."""
    for at, group in design.placed_groups:
        if group.efa is not None and group.efa.layout == "max-ena":
            yield Finding(
                at=(*at, "efa", "layout"),
                message="max-ena cannot be honoured: ParallelCluster lays the interfaces out itself",
                hint="write `efa: {layout: ip-saving}`, which is near to its own",
            )


@rule(
    "PCL010", ERROR, "logs are kept for a number of days that ParallelCluster knows",
    why="Its list is shorter than that of CloudWatch Logs.",
    source=_MONITORING, reads="observability",
)  # fmt: skip
def log_days_are_known(design: Design) -> Iterator[Finding]:
    """log_retention_days against RetentionInDays."""
    stated = design.profile.observability
    if stated and stated.log_retention_days not in limits.LOG_DAYS:
        days = stated.log_retention_days
        near = sorted(sorted(limits.LOG_DAYS, key=lambda known: abs(known - days))[:2])
        yield Finding(
            at=("observability", "log_retention_days"),
            message=f"ParallelCluster does not keep logs for {days} days",
            hint=f"use {' or '.join(map(str, near))}",
        )


_LEFT_OUT = {
    "budget": "make a budget that counts by the tag ultracluster:profile, which the file has",
    "calendar": "type the scontrol command of `ultracluster plan` on the head node",
}


@rule(
    "PCL011", NOTE, "what is left out of the file is known",
    why="ParallelCluster makes no workspace of Prometheus or Grafana, knows no deep health checks, and makes "
    "no accounts.",
    source=_MONITORING, reads="observability compute budget calendar access",
)  # fmt: skip
def left_out_is_told(design: Design) -> Iterator[Finding]:
    """Workspaces, deep health checks, spare nodes, budgets and people."""
    stated = design.profile.observability
    for key in ("prometheus", "grafana"):
        if stated is not None and getattr(stated, key) is not None:
            yield Finding(
                at=("observability", key),
                message=f"left out of the file: ParallelCluster makes no {key} workspace",
                hint=f"its CloudWatch dashboard is on; or write `{key}: null`",
            )
    for key, hint in _LEFT_OUT.items():
        if getattr(design.profile, key) is not None:
            yield Finding(
                at=(key,), message=f"left out of the file: ParallelCluster makes no {key}", hint=hint
            )
    if design.profile.access is not None:
        yield Finding(
            at=("access",),
            message="left out of the file: accounts and sessions are the work of ultracluster's stack and node scripts",
            hint="write its `DirectoryService`, or make accounts in a custom action",
        )
    for at, group in design.placed_groups:
        if group.deep_health_checks:
            yield Finding(
                at=(*at, "deep_health_checks"),
                message="left out of the file: deep health checks are HyperPod's",
                hint="take it out, and run `dcgmi diag` before the first job",
            )
        if group.spare:
            yield Finding(
                at=(*at, "spare"),
                message=f"left out of the file: nobody keeps {group.spare} nodes of {group.name} free there",
                hint="take it out, or reserve them by hand: `scontrol create reservation`",
            )


@rule(
    "PCL012", ERROR, "nodes reach the services that ParallelCluster calls",
    why="Its nodes call EC2, CloudFormation and DynamoDB besides; a network without a way out needs their endpoints, and "
    "settings of its own for DNS.",
    source=_NETWORK, reads="network", where="new-network",
)  # fmt: skip
def network_is_not_closed(design: Design) -> Iterator[Finding]:
    """No closed network of our own."""
    network = design.profile.network
    if network is not None and network.kind == "new" and network.closed:
        yield Finding(
            at=("network", "closed"),
            message="a closed network of ours has no endpoints for EC2, CloudFormation and DynamoDB",
            hint="write `closed: false`, or name a network that exists and has them",
        )
