"""A calendar that has dates, and whose holds and messages can be carried out."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from config.design.capacity.calendar import gaps_of
from config.design.capacity.holds import holds_of, partitions_of
from config.design.capacity.purchase import purchase_of
from config.design.kinds import eks_of
from config.design.model import Design
from config.diagnostics import Path
from config.profile.capacity.calendar import Calendar
from config.profile.capacity.groups import Group
from config.profile.kubernetes.base import Kubernetes
from config.profile.orchestrator import HyperPodSlurm
from config.profile.slurm.hyperpod import Extended
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_PAGE = "docs/money.md"
_BLOCKS = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html"
_RESERVATIONS = "https://slurm.schedmd.com/reservations.html"
_CRON = "https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html"
_READS = "calendar compute orchestrator"


def _dated(design: Design) -> list[tuple[Path, Group]]:
    """The groups whose machines go by themselves."""
    return [(at, group) for at, group in design.reserved_groups if group.capacity.paid_in_advance]


def _of(design: Design) -> Calendar:
    """The calendar; one that asks for nothing where the profile has none."""
    return design.profile.calendar or Calendar.model_construct(hold=False)


@rule(
    "CAL001", ERROR, "a calendar is of machines that go",
    why="Machines on demand and reservations without an end stay: nobody would be told, and nothing held.",
    source=_BLOCKS, reads=_READS, where="calendar",
)  # fmt: skip
def something_goes(design: Design) -> Iterator[Finding]:
    """Groups on Capacity Blocks or training plans."""
    if design.profile.calendar is not None and not _dated(design):
        yield Finding(
            at=("calendar",),
            message="no group's machines come from a Capacity Block or a training plan, and no others go by themselves",
            hint="take `calendar` out, or state `capacity: {kind: capacity-block, ...}` with `start` and `end`",
        )


@rule(
    "CAL002", ERROR, "machines that go have an end in the profile",
    why="The calendar knows no clock and asks no service: without the date nothing is told and nothing is held.",
    source=_PAGE, reads=_READS, where="calendar",
)  # fmt: skip
def ends_are_stated(design: Design) -> Iterator[Finding]:
    """`end` of blocks and plans."""
    for at, group in _dated(design) if design.profile.calendar is not None else ():
        if group.capacity.end is None:
            tells = purchase_of(group.capacity).described_by
            yield Finding(
                at=(*at, "capacity"),
                message=f"when the machines of {group.name} go is not stated",
                hint=f'add `start` and `end` as `{tells}` tells them: `end: "2027-01-18T11:30Z"`',
            )


@rule(
    "CAL003", ERROR, "the longest job fits into the time of the machines that it is for",
    why="It could never start: whatever moment it began at, it would lose its machines.",
    source=_PAGE, reads=_READS, where="calendar",
)  # fmt: skip
def longest_job_fits(design: Design) -> Iterator[Finding]:
    """`longest_job_h` and `drain_min` against each reservation."""
    calendar = _of(design)
    holds = holds_of(design.profile, design.groups)
    at_all = [(hold, hold.drained - hold.start) for hold in holds if hold.start is not None]
    for hold, usable in at_all:
        hours = usable / timedelta(hours=1)
        if hours <= 0:
            yield Finding(
                at=("calendar", "drain_min"),
                message=f"{hold.group} would be drained for all of its reservation: {calendar.drain_min} minutes",
                hint="lower `drain_min`, or correct the dates of the reservation",
            )
    longest = max((usable for _, usable in at_all), default=None)
    if (
        calendar.longest_job_h
        and longest
        and timedelta(0) < longest < timedelta(hours=calendar.longest_job_h)
    ):
        yield Finding(
            at=("calendar", "longest_job_h"),
            message=f"the longest job runs {calendar.longest_job_h} hours; no reservation has more than "
            f"{longest / timedelta(hours=1):,.1f} before it is drained",
            hint=f"write {int(longest / timedelta(hours=1))} at most, and let jobs go on from checkpoints",
        )


@rule(
    "CAL004", NOTE, "reservations follow each other without a gap",
    why="In a gap there are no machines: jobs wait, and what else the cluster has bills on.",
    source=_BLOCKS, reads=_READS, where="calendar",
)  # fmt: skip
def there_are_no_gaps(design: Design) -> Iterator[Finding]:
    """Times between the reservations of all groups."""
    for gap in gaps_of(holds_of(design.profile, design.groups)):
        hours = (gap.end - gap.start) / timedelta(hours=1)
        yield Finding(
            at=("calendar",),
            message=f"{hours:,.0f} hours without machines: {gap.before} ends at {gap.start:%Y-%m-%dT%H:%MZ}, {gap.after} "
            f"starts at {gap.end:%Y-%m-%dT%H:%MZ}",
            hint="extend the first reservation (`aws ec2 describe-capacity-block-extension-offerings`), or plan jobs to "
            "end before it",
        )


@rule(
    "CAL005", WARNING, "every message comes while there are machines",
    why="A message from before the reservation's start is read by nobody who has jobs there.",
    source=_PAGE, reads=_READS, where="calendar",
)  # fmt: skip
def reminders_come_in_time(design: Design) -> Iterator[Finding]:
    """`reminders.before_h` against the length of each reservation."""
    reminders = _of(design).reminders
    if reminders is None:
        return
    for hold in holds_of(design.profile, design.groups):
        early = [
            hours
            for hours in sorted(set(reminders.before_h))
            if hold.start is not None and hold.gone - timedelta(hours=hours) < hold.start
        ]
        if early and hold.start is not None:
            yield Finding(
                at=("calendar", "reminders", "before_h"),
                message=f"{early[0]} hours before the machines of {hold.group} go, its reservation has not begun: it has "
                f"{(hold.gone - hold.start) / timedelta(hours=1):,.1f}",
                hint=f"take {', '.join(map(str, early))} out",
            )


@rule(
    "CAL006", ERROR, "a group whose machines go has a partition of its own",
    why="A reservation of Slurm holds all nodes of a partition: those of other groups would be held with it.",
    source=_RESERVATIONS, reads=_READS, where="calendar",
)  # fmt: skip
def partitions_are_of_one_end(design: Design) -> Iterator[Finding]:
    """Partitions and queues that a dated group shares."""
    if not _of(design).hold or isinstance(design.profile.orchestrator, Kubernetes):
        return
    partitions = partitions_of(design.profile, design.groups)
    places = {group.name: at for at, group in _dated(design)}
    for hold in holds_of(design.profile, design.groups):
        if hold.partition is None:
            shared = [name for name, names in partitions.items() if hold.group in names]
            yield Finding(
                at=(*places[hold.group], "partition"),
                message=f"{hold.group} shares the partition {shared[0]} with other groups"
                if shared
                else f"{hold.group} is in no partition",
                hint="give the group a `partition` of its own (pcs: a queue), or write `hold: false`",
            )


@rule(
    "CAL007", NOTE, "whoever admits jobs knows of the hold",
    why="HyperPod's task governance has queues of its own, which nothing of a stack can hold: jobs are admitted, and wait for "
    "nodes that take none.",
    source=_PAGE, reads=_READS, where="calendar",
)  # fmt: skip
def governed_queues_are_not_held(design: Design) -> Iterator[Finding]:
    """A calendar beside `task_governance`."""
    stated = eks_of(design.profile)
    if _of(design).hold and stated is not None and stated.task_governance is not None:
        yield Finding(
            at=("calendar", "hold"),
            message="the queues of task governance are not held: the nodes are cordoned, and admitted jobs wait for them",
            hint="nothing to do; tell the teams of the last safe start in `ultracluster plan`",
        )


@rule(
    "CAL008", ERROR, "something carries the hold out",
    why="The reservation is made by ultracluster's scripts on the controller: without them jobs would start until the machines "
    "are gone.",
    source=_RESERVATIONS, reads=_READS, where="calendar",
)  # fmt: skip
def hold_is_carried_out(design: Design) -> Iterator[Finding]:
    """`hold` under hyperpod-slurm without ultracluster's scripts."""
    orchestrator = design.profile.orchestrator
    if not _of(design).hold or not isinstance(orchestrator, HyperPodSlurm):
        return
    if not isinstance(orchestrator.lifecycle, Extended):
        yield Finding(
            at=("calendar", "hold"),
            message=f"with `lifecycle: {{kind: {orchestrator.lifecycle.kind}}}` nothing of ultracluster runs on the controller",
            hint="write `lifecycle: {kind: extended}`, or `hold: false` and make the reservation with scontrol yourself",
        )


@rule(
    "CAL009", ERROR, "a closed network has the image that carries the hold out",
    why="registry.k8s.io is not reached from there: the nodes would not be held, and nobody would be told.",
    source=_PAGE, reads="calendar network data orchestrator", where="calendar",
)  # fmt: skip
def image_is_reached(design: Design) -> Iterator[Finding]:
    """`kubectl_image` in closed networks."""
    closed = design.network is not None and design.network.closed
    calendar = _of(design)
    kubernetes = isinstance(design.profile.orchestrator, Kubernetes)
    if closed and kubernetes and calendar.hold and calendar.kubectl_image is None:
        yield Finding(
            at=("calendar",),
            message="the hold runs registry.k8s.io/kubectl, and the network is closed",
            hint="copy the image to your registry and name it: `kubectl_image: "
            '"123456789012.dkr.ecr.us-west-2.amazonaws.com/kubectl:v1.35.0"`',
        )


@rule(
    "CAL010", WARNING, "the last checkpoint has the time that it takes",
    why="A checkpoint that is cut off is none, and all work since the one before it is lost.",
    source="docs/reference/storage-plan.md", reads=f"{_READS} workload storage data", where="calendar",
)  # fmt: skip
def last_checkpoint_is_whole(design: Design) -> Iterator[Finding]:
    """`checkpoint_before_min` against the time that a checkpoint takes to write."""
    stated = _of(design).checkpoint_before_min
    plan = design.checkpoints
    if stated is not None and plan is not None and plan.write_s > stated * 60:
        yield Finding(
            at=("calendar", "checkpoint_before_min"),
            message=f"a checkpoint takes {plan.write_s / 60:,.1f} minutes to write, the last one has {stated}",
            hint="take `checkpoint_before_min` out: twice the time is the default",
        )


@rule(
    "CAL011", ERROR, "a message before the end reaches somebody",
    why="The rules of the clock would tell a topic that nobody has subscribed to.",
    source=_CRON, reads="calendar", where="calendar",
)  # fmt: skip
def reminders_tell_somebody(design: Design) -> Iterator[Finding]:
    """`emails` or `topic_arn` of reminders."""
    reminders = _of(design).reminders
    if reminders is None:
        return
    if not reminders.emails and reminders.topic_arn is None:
        yield Finding(
            at=("calendar", "reminders"),
            message="nobody is told: neither `emails` nor `topic_arn` is stated",
            hint="add `emails: [ml-ops@example.com]`",
        )
    elif reminders.emails and reminders.topic_arn is not None:
        yield Finding(
            at=("calendar", "reminders", "emails"),
            message="`emails` subscribe to a new topic, and `topic_arn` names one that is there",
            hint="keep one of the two",
        )


@rule(
    "CAL012", ERROR, "a topic of one's own for messages is in the profile's Region, and no queue in order",
    why="A rule of EventBridge reaches targets of its own Region alone, and no FIFO topic: the message would be lost.",
    source="https://aws.amazon.com/premiumsupport/knowledge-center/sns-not-getting-eventbridge-notification/",
    reads="calendar region", where="calendar",
)  # fmt: skip
def topic_is_reached(design: Design) -> Iterator[Finding]:
    """`topic_arn` of reminders."""
    reminders = _of(design).reminders
    arn = reminders.topic_arn if reminders else None
    if arn is None:
        return
    at: Path = ("calendar", "reminders", "topic_arn")
    region = arn.split(":")[3]
    if region != design.profile.region:
        yield Finding(
            at=at,
            message=f"the topic is in {region}, the profile in {design.profile.region}",
            hint=f"name a topic of {design.profile.region}, or write `emails` instead",
        )
    elif arn.endswith(".fifo"):
        yield Finding(
            at=at, message=f"{arn.rpartition(':')[2]} is a FIFO topic", hint="name a standard topic"
        )
