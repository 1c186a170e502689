"""Rules for `spare` nodes and for the reservation in `next`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from config.design.capacity.training_plans import plan_arn
from config.design.capacity.windows import moment
from config.design.kinds import eks_of
from config.design.model import Design
from config.diagnostics import Path
from config.profile.capacity.groups import AnyNext, Group
from config.profile.kubernetes.scheduler import Scheduling
from config.profile.orchestrator import Eks, HyperPodEks, HyperPodSlurm
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_RESILIENCY = "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-resiliency-slurm.html"
_QUEUES = "https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/"
_UPDATE_PLAN = "https://docs.aws.amazon.com/sagemaker/latest/dg/use-training-plan-for-hyperpod-update-using-api-cli-sdk.html"
_BLOCKS = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html"
_PCS_BLOCKS = "https://docs.aws.amazon.com/pcs/latest/userguide/capacity-blocks-configure-cng.html"
_ID = re.compile(r"cr-[0-9a-f]{8,17}")


def _spare(design: Design) -> Iterator[tuple[Path, Group]]:
    return ((at, group) for at, group in design.placed_groups if group.spare)


@rule(
    "LIF001", ERROR, "spare nodes belong to a GPU compute group",
    why="A spare node takes over the jobs of a failed node. Login, controller and system nodes do not run jobs, and a failed "
    "CPU node is replaced on demand.",
    source=_RESILIENCY, reads="compute", where="spare",
)  # fmt: skip
def spare_nodes_are_gpu_compute_nodes(design: Design) -> Iterator[Finding]:
    """Check role and instance type of groups with spare nodes."""
    gpu = {plan.name for plan in design.groups if plan.instance_type.is_gpu}
    known = {plan.name for plan in design.groups}
    for at, group in _spare(design):
        if group.role != "compute" or (group.name in known and group.name not in gpu):
            what = (
                f"a {group.role} group"
                if group.role != "compute"
                else f"a group of {group.instance_type} without GPUs"
            )
            yield Finding(
                at=(*at, "spare"),
                message=f"group {group.name} has `spare: {group.spare}`, but it is {what}",
                hint="remove `spare`, or set `spare` on a compute group with GPUs",
            )


@rule(
    "LIF002", ERROR, "a group has more nodes than spare nodes",
    why="Jobs do not run on spare nodes while all nodes are healthy. If all nodes are spare, the group never runs a job.",
    source=_RESILIENCY, reads="compute", where="spare",
)  # fmt: skip
def spare_is_less_than_count(design: Design) -> Iterator[Finding]:
    """Check `spare` against `count`."""
    for at, group in _spare(design):
        if group.count and group.spare >= group.count:
            yield Finding(
                at=(*at, "spare"),
                message=f"group {group.name} has `spare: {group.spare}` and `count: {group.count}`, so no node is left for jobs",
                hint=f"set `spare` to {group.count - 1} or less" if group.count > 1 else "remove `spare`",
            )


@rule(
    "LIF003", ERROR, "the control plane keeps jobs off spare nodes",
    why="The queues or a Slurm reservation keep the last nodes of a group free. This does not work for nodes that are launched "
    "for each job, or for queues that borrow without an upper limit.",
    source=_QUEUES, reads="compute orchestrator", where="spare",
)  # fmt: skip
def control_plane_supports_spare_nodes(design: Design) -> Iterator[Finding]:
    """Report `spare` and the reason if the control plane cannot keep nodes free."""
    orchestrator = design.profile.orchestrator
    karpenter = orchestrator.karpenter if isinstance(orchestrator, Eks) else None
    elastic = {group.name for group in karpenter.groups} if karpenter else set()
    for at, group in _spare(design):
        against = _unsupported(design, group, elastic)
        if against is not None:
            yield Finding(
                at=(*at, "spare"),
                message=f"group {group.name} cannot have `spare`: {against[0]}",
                hint=against[1],
            )


def _unsupported(design: Design, group: Group, elastic: set[str]) -> tuple[str, str] | None:
    out = "remove `spare`"
    if group.scaling == "dynamic":
        return "with `scaling: dynamic`, nodes start only for jobs", f"set `scaling: static`, or {out}"
    if group.name in elastic:
        return "Karpenter launches the nodes of this group, and replaces a node that fails", out
    orchestrator = design.profile.orchestrator
    if isinstance(orchestrator, HyperPodSlurm) and design.hyperpod and design.hyperpod.scripts is None:
        reason = (
            "ultracluster's scripts reserve the spare nodes in Slurm, but they do not run in this cluster"
        )
        return reason, f"set `lifecycle: {{kind: extended}}`, or {out}"
    if not isinstance(orchestrator, Eks | HyperPodEks):
        return None
    governed = eks_of(design.profile)
    if governed is not None and governed.task_governance is not None:
        reason = "task governance lends all idle nodes to the teams, including the spare nodes"
        return reason, f"{out}, or use `scheduler: kueue` without `task_governance`"
    if orchestrator.scheduler == "volcano" and _borrows(orchestrator.scheduling):
        reason = "the teams borrow, and Volcano queues have no common upper limit"
        return reason, "set `borrow: 0` in every share, or use `scheduler: kueue` or `scheduler: kai`"
    return None


def _borrows(scheduling: Scheduling) -> bool:
    """Return whether any team may use more than its shares, or has no shares and uses idle nodes."""
    return any(
        not team.shares or any(share.borrow != 0 for share in team.shares) for team in scheduling.teams
    )


def _nexts(design: Design) -> Iterator[tuple[Path, Group, AnyNext]]:
    for at, group in design.placed_groups:
        if group.capacity.next is not None:
            yield (*at, "capacity", "next"), group, group.capacity.next


@rule(
    "LIF004", ERROR, "`next` names a valid id or ARN of another reservation",
    why="`ultracluster rotate` replaces the id or ARN of the reservation. If `next` has the id of the current reservation, the "
    "command has no effect. If the id is wrong, every launch fails when the next reservation starts.",
    source=_UPDATE_PLAN, reads="compute region", where="next",
)  # fmt: skip
def next_is_another_reservation(design: Design) -> Iterator[Finding]:
    """Check the id or ARN in `next`."""
    for at, group, following in _nexts(design):
        key, name = following.key, following.name
        is_plan, plan = key == "arn", plan_arn(name)
        if name == group.capacity.reservation:
            message = f"`next` of group {group.name} names the current reservation {name}"
            hint = f"set `next.{key}` to the reservation that follows {name}"
        elif is_plan and (plan is None or plan.region != design.profile.region):
            message = f"{name!r} is not the ARN of a training plan in {design.profile.region}"
            hint = "set `next.arn` to an ARN from `aws sagemaker list-training-plans`"
        elif not is_plan and not _ID.fullmatch(name):
            message = f"{name!r} is not the id of a reservation"
            hint = (
                "set `next.reservation_id` to an id from `aws ec2 describe-capacity-reservations`, for example "
                "cr-0123456789abcdef0"
            )
        elif not is_plan and group.capacity.reservation_id is None:
            message = f"group {group.name} has `next`, but its `capacity` does not have a `reservation_id`"
            hint = "add `reservation_id`, or remove `next`: without an id, EC2 chooses the reservation"
        else:
            continue
        yield Finding(at=(*at, key), message=message, hint=hint)


@rule(
    "LIF005", ERROR, "the next reservation is in the zone of the group",
    why="A rotation does not change the subnet of a group, and a subnet is in one zone. Instances in another zone need another "
    "group.",
    source=_PCS_BLOCKS, reads="compute network data availability_zone availability_zone_id", where="next",
)  # fmt: skip
def next_is_in_the_zone(design: Design) -> Iterator[Finding]:
    """Compare the zone ids of both reservations, if both are set."""
    for at, group, following in _nexts(design):
        here, there = group.capacity.availability_zone_id, following.availability_zone_id
        if here and there and here != there:
            yield Finding(
                at=(*at, "availability_zone_id"),
                message=f"group {group.name} is in {here}, but the next reservation is in {there}",
                hint=f"buy a reservation in {here}, or add a group in {there} and remove group {group.name} when its reservation "
                "ends",
            )


@rule(
    "LIF006", ERROR, "the next reservation starts after the current reservation starts, and ends after its own start",
    why="`ultracluster rotate` uses these dates to print the steps and their times.",
    source=_BLOCKS, reads="compute", where="next",
)  # fmt: skip
def next_starts_later(design: Design) -> Iterator[Finding]:
    """Check `start` and `end` of both reservations."""
    for at, group, following in _nexts(design):
        start, end = moment(following.start), moment(following.end)
        began = moment(group.capacity.start)
        for key, text, read in (("start", following.start, start), ("end", following.end, end)):
            if text is not None and read is None:
                yield Finding(at=(*at, key), message=f"{text} is not a valid date", hint=f"correct `{key}`")
        if start and end and end <= start:
            yield Finding(
                at=(*at, "end"),
                message=f"the next reservation has `end: {following.end}`, which is not after `start: {following.start}`",
                hint="correct `start` or `end`",
            )
        if start and began and start <= began:
            yield Finding(
                at=(*at, "start"),
                message=f"the next reservation starts at {following.start}, but the current reservation starts at {group.capacity.start}",
                hint="exchange the two reservations, or correct `next.start`",
            )


@rule(
    "LIF007", WARNING, "the next reservation has an instance for each node of the group",
    why="A node without a reserved instance does not launch. Jobs that need all nodes of the group wait forever.",
    source=_PCS_BLOCKS, reads="compute", where="next",
)  # fmt: skip
def next_is_large_enough(design: Design) -> Iterator[Finding]:
    """Check `instances` of the next reservation against `count`."""
    for at, group, following in _nexts(design):
        if following.instances is not None and following.instances < group.count:
            yield Finding(
                at=(*at, "instances"),
                message=f"group {group.name} has {group.count} nodes, but the next reservation has {following.instances} instances",
                hint=f"reserve {group.count} instances, or set the group's `count` to {following.instances} when you rotate",
            )


@rule(
    "LIF008", NOTE, "the next reservation starts before the current one ends",
    why="Between the two reservations the group has no instances, and its jobs wait.",
    source=_BLOCKS, reads="compute", where="next",
)  # fmt: skip
def there_is_no_gap(design: Design) -> Iterator[Finding]:
    """Check `end` of this reservation against `start` of the next."""
    for at, group, following in _nexts(design):
        start, end = moment(following.start), moment(group.capacity.end)
        if start and end and start > end:
            hours = (start - end).total_seconds() / 3600
            yield Finding(
                at=(*at, "start"),
                message=f"group {group.name} has no instances for {hours:,.3g} hours between its current and its next reservation",
                hint="extend the current reservation if capacity is available, or plan no jobs for that time",
            )
