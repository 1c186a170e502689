"""The life of a cluster: spare nodes that nobody's job takes, and the reservation that follows another."""

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
    "LIF001", ERROR, "spare nodes stand in a group that runs jobs on GPUs",
    why="They take the jobs of nodes that fail; login, controller and system nodes have none, and CPU nodes are launched "
    "on demand when one fails.",
    source=_RESILIENCY, reads="compute", where="spare",
)  # fmt: skip
def spare_nodes_run_jobs(design: Design) -> Iterator[Finding]:
    """Role and type of groups with spare nodes."""
    gpu = {plan.name for plan in design.groups if plan.instance_type.is_gpu}
    known = {plan.name for plan in design.groups}
    for at, group in _spare(design):
        if group.role != "compute" or (group.name in known and group.name not in gpu):
            what = (
                f"a {group.role} group"
                if group.role != "compute"
                else f"of {group.instance_type}, without GPUs"
            )
            yield Finding(
                at=(*at, "spare"),
                message=f"{group.spare} spare nodes in group {group.name}, which is {what}",
                hint="take `spare` out, or put it into a compute group of GPU nodes",
            )


@rule(
    "LIF002", ERROR, "a group has more nodes than are spare",
    why="No job gets a spare node while all are well: with as many spare ones as there are, none ever runs.",
    source=_RESILIENCY, reads="compute", where="spare",
)  # fmt: skip
def some_nodes_run_jobs(design: Design) -> Iterator[Finding]:
    """`spare` against `count`."""
    for at, group in _spare(design):
        if group.count and group.spare >= group.count:
            yield Finding(
                at=(*at, "spare"),
                message=f"{group.spare} of the {group.count} nodes of group {group.name} are spare: jobs get none",
                hint=f"write {group.count - 1} or less" if group.count > 1 else "take `spare` out",
            )


@rule(
    "LIF003", ERROR, "the control plane keeps jobs off spare nodes",
    why="Spare nodes are free because the queues admit no job to the last of them, or because Slurm reserves them. Nodes "
    "that come and go as jobs ask have no last one, and queues that borrow without an upper bound take every node.",
    source=_QUEUES, reads="compute orchestrator", where="spare",
)  # fmt: skip
def spare_nodes_are_kept_free(design: Design) -> Iterator[Finding]:
    """What stands against spare nodes under each control plane."""
    orchestrator = design.profile.orchestrator
    karpenter = orchestrator.karpenter if isinstance(orchestrator, Eks) else None
    elastic = {group.name for group in karpenter.groups} if karpenter else set()
    for at, group in _spare(design):
        against = _against(design, group, elastic)
        if against is not None:
            yield Finding(at=(*at, "spare"), message=f"group {group.name}: {against[0]}", hint=against[1])


def _against(design: Design, group: Group, elastic: set[str]) -> tuple[str, str] | None:
    out = "take `spare` out"
    if group.scaling == "dynamic":
        return "nodes that come as jobs ask are never spare", f"write `scaling: static`, or {out}"
    if group.name in elastic:
        return "Karpenter launches its nodes, and has another one when one fails", out
    orchestrator = design.profile.orchestrator
    if isinstance(orchestrator, HyperPodSlurm) and design.hyperpod and design.hyperpod.scripts is None:
        told = "ultracluster's scripts, which have Slurm reserve the spare nodes, do not run in this cluster"
        return told, f"write `lifecycle: {{kind: extended}}`, or {out}"
    if not isinstance(orchestrator, Eks | HyperPodEks):
        return None
    governed = eks_of(design.profile)
    if governed is not None and governed.task_governance is not None:
        told = "task governance lends idle nodes to every team, the spare ones too"
        return told, f"{out}, or use `scheduler: kueue` without `task_governance`"
    if orchestrator.scheduler == "volcano" and _borrows(orchestrator.scheduling):
        told = "queues of Volcano have no upper bound together, and its teams borrow"
        return told, "write `borrow: 0` in every share, or use `scheduler: kueue` or `kai`"
    return None


def _borrows(scheduling: Scheduling) -> bool:
    """Whether some team may use more than its own; a team without shares uses what is idle."""
    return any(
        not team.shares or any(share.borrow != 0 for share in team.shares) for team in scheduling.teams
    )


def _nexts(design: Design) -> Iterator[tuple[Path, Group, AnyNext]]:
    for at, group in design.placed_groups:
        if group.capacity.next is not None:
            yield (*at, "capacity", "next"), group, group.capacity.next


@rule(
    "LIF004", ERROR, "the next reservation is another one, named rightly",
    why="A group goes from one reservation to the next by its name: the same name changes nothing, and a wrong one fails "
    "every launch when the machines are to come.",
    source=_UPDATE_PLAN, reads="compute region", where="next",
)  # fmt: skip
def next_is_another(design: Design) -> Iterator[Finding]:
    """Ids and ARNs of what follows."""
    for at, group, following in _nexts(design):
        key, name = following.key, following.name
        is_plan, plan = key == "arn", plan_arn(name)
        if name == group.capacity.reservation:
            message, hint = (
                f"group {group.name} goes from {name} to itself",
                "name the reservation that follows",
            )
        elif is_plan and (plan is None or plan.region != design.profile.region):
            message = f"{name!r} is not the ARN of a training plan in {design.profile.region}"
            hint = "`aws sagemaker list-training-plans` lists yours"
        elif not is_plan and not _ID.fullmatch(name):
            message = f"{name!r} is not the id of a reservation"
            hint = "it looks like cr-0123456789abcdef0; `aws ec2 describe-capacity-reservations` lists yours"
        elif not is_plan and group.capacity.reservation_id is None:
            message = f"group {group.name} names no reservation that another could follow"
            hint = "name one by `reservation_id`, or take `next` out: EC2 itself finds what is open or in the group"
        else:
            continue
        yield Finding(at=(*at, key), message=message, hint=hint)


@rule(
    "LIF005", ERROR, "the next reservation lies in the zone of the group",
    why="The subnet of a group stays what it is: machines in another zone need a group of their own.",
    source=_PCS_BLOCKS, reads="compute network data availability_zone availability_zone_id", where="next",
)  # fmt: skip
def next_is_in_the_zone(design: Design) -> Iterator[Finding]:
    """Zone ids of both reservations, where both are stated."""
    for at, group, following in _nexts(design):
        here, there = group.capacity.availability_zone_id, following.availability_zone_id
        if here and there and here != there:
            yield Finding(
                at=(*at, "availability_zone_id"),
                message=f"group {group.name} stands in {here}, the next reservation in {there}",
                hint=f"buy one in {here}, or make another group for it and take this one out when it ends",
            )


@rule(
    "LIF006", ERROR, "the next reservation starts later than this one, and ends after it has started",
    why="By these days `ultracluster rotate` tells what is to be done, and when.",
    source=_BLOCKS, reads="compute", where="next",
)  # fmt: skip
def next_comes_later(design: Design) -> Iterator[Finding]:
    """Days of both reservations."""
    for at, group, following in _nexts(design):
        start, end = moment(following.start), moment(following.end)
        began = moment(group.capacity.start)
        for key, text, read in (("start", following.start, start), ("end", following.end, end)):
            if text is not None and read is None:
                yield Finding(
                    at=(*at, key), message=f"{text} is no day of the calendar", hint="correct the date"
                )
        if start and end and end <= start:
            yield Finding(
                at=(*at, "end"),
                message=f"the next reservation ends at {following.end}, before it has started at {following.start}",
                hint="correct one of them",
            )
        if start and began and start <= began:
            yield Finding(
                at=(*at, "start"),
                message=f"the next reservation starts at {following.start}, this one at {group.capacity.start}",
                hint="exchange both, or correct one of them",
            )


@rule(
    "LIF007", WARNING, "the next reservation holds as many machines as the group has nodes",
    why="Nodes that there is no machine for never come: jobs that need all of them wait for ever.",
    source=_PCS_BLOCKS, reads="compute", where="next",
)  # fmt: skip
def next_is_large_enough(design: Design) -> Iterator[Finding]:
    """`instances` of what follows against `count`."""
    for at, group, following in _nexts(design):
        if following.instances is not None and following.instances < group.count:
            yield Finding(
                at=(*at, "instances"),
                message=f"group {group.name} has {group.count} nodes, the next reservation {following.instances} machines",
                hint=f"buy {group.count}, or lower `count` to {following.instances} when you rotate",
            )


@rule(
    "LIF008", NOTE, "one reservation begins before the other ends",
    why="In between there are no machines: jobs wait, and what the group shares with others has to last without it.",
    source=_BLOCKS, reads="compute", where="next",
)  # fmt: skip
def there_is_no_gap(design: Design) -> Iterator[Finding]:
    """The end of one against the start of the other."""
    for at, group, following in _nexts(design):
        start, end = moment(following.start), moment(group.capacity.end)
        if start and end and start > end:
            hours = (start - end).total_seconds() / 3600
            yield Finding(
                at=(*at, "start"),
                message=f"group {group.name} has no machines for {hours:,.3g} h, from the end of this reservation on",
                hint="extend this one if there is capacity, or let jobs know",
            )
