"""Rules for `calendar`: end dates, `hold` and reminders of reserved capacity."""

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
    """Return the groups whose reservation has an end date, each with its path in the profile."""
    return [(at, group) for at, group in design.reserved_groups if group.capacity.paid_in_advance]


def _of(design: Design) -> Calendar:
    """Return the profile's calendar, or one with `hold: false` if the profile has none."""
    return design.profile.calendar or Calendar.model_construct(hold=False)


@rule(
    "CAL001", ERROR, "a calendar needs a Capacity Block or a training plan",
    why="On-demand instances and ODCRs have no end date, so `calendar` has no effect on them.",
    source=_BLOCKS, reads=_READS, where="calendar",
)  # fmt: skip
def calendar_has_capacity_with_an_end(design: Design) -> Iterator[Finding]:
    """Report `calendar` if no group uses a Capacity Block or a training plan."""
    if design.profile.calendar is not None and not _dated(design):
        yield Finding(
            at=("calendar",),
            message="no group uses a Capacity Block or a training plan; other capacity has no end date",
            hint="remove `calendar`, or set `capacity: {kind: capacity-block, ...}` with `start` and `end`",
        )


@rule(
    "CAL002", ERROR, "reserved capacity has an end date in the profile",
    why="ultracluster does not query EC2 or SageMaker for the date. Without `end`, no reminder is sent and `hold` has no effect.",
    source=_PAGE, reads=_READS, where="calendar",
)  # fmt: skip
def reservations_have_an_end(design: Design) -> Iterator[Finding]:
    """Check `end` of Capacity Blocks and training plans."""
    for at, group in _dated(design) if design.profile.calendar is not None else ():
        if group.capacity.end is None:
            command = purchase_of(group.capacity).described_by
            yield Finding(
                at=(*at, "capacity"),
                message=f"the reservation of group {group.name} has no `end`",
                hint=f'add `start` and `end` from `{command}`, for example `end: "2027-01-18T11:30Z"`',
            )


@rule(
    "CAL003", ERROR, "the longest job fits into a reservation",
    why="A job that is longer than the reservation loses its nodes before it finishes. With `hold`, the job never starts.",
    source=_PAGE, reads=_READS, where="calendar",
)  # fmt: skip
def longest_job_fits(design: Design) -> Iterator[Finding]:
    """Check `longest_job_h` and `drain_min` against the length of each reservation."""
    calendar = _of(design)
    holds = holds_of(design.profile, design.groups)
    at_all = [(hold, hold.drained - hold.start) for hold in holds if hold.start is not None]
    for hold, usable in at_all:
        hours = usable / timedelta(hours=1)
        if hours <= 0:
            yield Finding(
                at=("calendar", "drain_min"),
                message=f"`drain_min` is {calendar.drain_min} minutes, which is not less than the duration of the reservation of "
                f"group {hold.group}",
                hint="reduce `drain_min`, or correct `start` and `end` of the reservation",
            )
    longest = max((usable for _, usable in at_all), default=None)
    if (
        calendar.longest_job_h
        and longest
        and timedelta(0) < longest < timedelta(hours=calendar.longest_job_h)
    ):
        yield Finding(
            at=("calendar", "longest_job_h"),
            message=f"the longest job runs {calendar.longest_job_h} hours, but the longest reservation has only "
            f"{longest / timedelta(hours=1):,.1f} hours before its nodes are drained",
            hint=f"set `longest_job_h` to at most {int(longest / timedelta(hours=1))}, and let jobs resume from checkpoints",
        )


@rule(
    "CAL004", NOTE, "reservations follow each other without a gap",
    why="During a gap the cluster has no reserved nodes. Jobs wait, and storage and the other resources are still billed.",
    source=_BLOCKS, reads=_READS, where="calendar",
)  # fmt: skip
def reservations_have_no_gap(design: Design) -> Iterator[Finding]:
    """Report times when no group has a reservation."""
    for gap in gaps_of(holds_of(design.profile, design.groups)):
        hours = (gap.end - gap.start) / timedelta(hours=1)
        yield Finding(
            at=("calendar",),
            message=f"no nodes are reserved for {hours:,.0f} hours: the reservation of group {gap.before} ends at "
            f"{gap.start:%Y-%m-%dT%H:%MZ}, and the reservation of group {gap.after} starts at {gap.end:%Y-%m-%dT%H:%MZ}",
            hint="extend the first reservation (`aws ec2 describe-capacity-block-extension-offerings`), or plan jobs to "
            "end before the gap",
        )


@rule(
    "CAL005", WARNING, "every reminder is sent while the reservation is active",
    why="Before the reservation starts, users have no jobs on its nodes and cannot act on a reminder.",
    source=_PAGE, reads=_READS, where="calendar",
)  # fmt: skip
def reminders_are_within_the_reservation(design: Design) -> Iterator[Finding]:
    """Check `reminders.before_h` against the length of each reservation."""
    reminders = _of(design).reminders
    if reminders is None:
        return
    for hold in holds_of(design.profile, design.groups):
        early = [
            hours
            for hours in sorted(set(reminders.before_h))
            if hold.start is not None and hold.termination - timedelta(hours=hours) < hold.start
        ]
        if early and hold.start is not None:
            yield Finding(
                at=("calendar", "reminders", "before_h"),
                message=f"a reminder {early[0]} hours before the end is too early for the reservation of group {hold.group}, which "
                f"lasts {(hold.termination - hold.start) / timedelta(hours=1):,.1f} hours",
                hint=f"remove {', '.join(map(str, early))} from `before_h`",
            )


@rule(
    "CAL006", ERROR, "a group with an end date has its own partition",
    why="`hold` creates a Slurm reservation of all nodes of a partition, including the nodes of the other groups.",
    source=_RESERVATIONS, reads=_READS, where="calendar",
)  # fmt: skip
def dated_groups_have_their_own_partition(design: Design) -> Iterator[Finding]:
    """Check that groups whose reservations end do not share a partition or queue."""
    if not _of(design).hold or isinstance(design.profile.orchestrator, Kubernetes):
        return
    partitions = partitions_of(design.profile, design.groups)
    places = {group.name: at for at, group in _dated(design)}
    for hold in holds_of(design.profile, design.groups):
        if hold.partition is None:
            shared = [name for name, names in partitions.items() if hold.group in names]
            yield Finding(
                at=(*places[hold.group], "partition"),
                message=f"group {hold.group} shares the partition {shared[0]} with other groups"
                if shared
                else f"group {hold.group} is not in a partition",
                hint="move the group to a partition (with PCS, a queue) that no other group uses, or set `hold: false`",
            )


@rule(
    "CAL007", NOTE, "`hold` stops the job queues",
    why="The stack cannot stop the queues of HyperPod task governance. The queues still admit jobs, and these jobs wait for "
    "cordoned nodes.",
    source=_PAGE, reads=_READS, where="calendar",
)  # fmt: skip
def task_governance_admits_jobs_during_the_hold(design: Design) -> Iterator[Finding]:
    """Report a calendar with `hold` in addition to `task_governance`."""
    declared = eks_of(design.profile)
    if _of(design).hold and declared is not None and declared.task_governance is not None:
        yield Finding(
            at=("calendar", "hold"),
            message="task governance still admits jobs after `hold` has cordoned the nodes, and these jobs wait",
            hint="no change is needed; send the teams the last safe start time that `ultracluster plan` prints",
        )


@rule(
    "CAL008", ERROR, "`hold` on HyperPod needs ultracluster's lifecycle scripts",
    why="These scripts create the Slurm reservation on the controller. Without them, jobs start until the nodes are terminated.",
    source=_RESERVATIONS, reads=_READS, where="calendar",
)  # fmt: skip
def lifecycle_scripts_create_the_hold(design: Design) -> Iterator[Finding]:
    """Check `hold` if a hyperpod-slurm cluster does not run ultracluster's lifecycle scripts."""
    orchestrator = design.profile.orchestrator
    if not _of(design).hold or not isinstance(orchestrator, HyperPodSlurm):
        return
    if not isinstance(orchestrator.lifecycle, Extended):
        yield Finding(
            at=("calendar", "hold"),
            message=f"with `lifecycle: {{kind: {orchestrator.lifecycle.kind}}}` the controller does not run ultracluster's scripts",
            hint="set `lifecycle: {kind: extended}`, or set `hold: false` and create the Slurm reservation with scontrol",
        )


@rule(
    "CAL009", ERROR, "a closed network has its own copy of the kubectl image",
    why="A closed network has no route to registry.k8s.io. The job that cordons the nodes would fail, and no one would be "
    "notified.",
    source=_PAGE, reads="calendar network data orchestrator", where="calendar",
)  # fmt: skip
def kubectl_image_is_set_in_a_closed_network(design: Design) -> Iterator[Finding]:
    """Check `kubectl_image` in closed networks."""
    closed = design.network is not None and design.network.closed
    calendar = _of(design)
    kubernetes = isinstance(design.profile.orchestrator, Kubernetes)
    if closed and kubernetes and calendar.hold and calendar.kubectl_image is None:
        yield Finding(
            at=("calendar",),
            message="`hold` runs the image registry.k8s.io/kubectl, which nodes in a closed network cannot pull",
            hint="copy the image to your registry and set `kubectl_image: "
            '"123456789012.dkr.ecr.us-west-2.amazonaws.com/kubectl:v1.35.0"`',
        )


@rule(
    "CAL010", WARNING, "the last checkpoint has enough time",
    why="An incomplete checkpoint cannot be used. The job loses all work since the previous checkpoint.",
    source="docs/reference/storage-plan.md", reads=f"{_READS} workload storage data", where="calendar",
)  # fmt: skip
def last_checkpoint_has_enough_time(design: Design) -> Iterator[Finding]:
    """Check `checkpoint_before_min` against the write time of a checkpoint."""
    declared = _of(design).checkpoint_before_min
    plan = design.checkpoints
    if declared is not None and plan is not None and plan.write_s > declared * 60:
        yield Finding(
            at=("calendar", "checkpoint_before_min"),
            message=f"a checkpoint takes {plan.write_s / 60:,.1f} minutes to write, but the last checkpoint starts only {declared} "
            f"{'minute' if declared == 1 else 'minutes'} before the reservation ends",
            hint="remove `checkpoint_before_min`; the default is twice the write time",
        )


@rule(
    "CAL011", ERROR, "reminders have a receiver",
    why="Without a receiver, EventBridge publishes the reminders to an SNS topic that has no subscriptions.",
    source=_CRON, reads="calendar", where="calendar",
)  # fmt: skip
def reminders_have_a_receiver(design: Design) -> Iterator[Finding]:
    """Check that reminders have either `emails` or `topic_arn`."""
    reminders = _of(design).reminders
    if reminders is None:
        return
    if not reminders.emails and reminders.topic_arn is None:
        yield Finding(
            at=("calendar", "reminders"),
            message="the reminders have no receiver: `emails` and `topic_arn` are missing",
            hint="add `emails: [ml-ops@example.com]`",
        )
    elif reminders.emails and reminders.topic_arn is not None:
        yield Finding(
            at=("calendar", "reminders", "emails"),
            message="`emails` creates a new topic, but `topic_arn` names an existing one",
            hint="remove `emails` or `topic_arn`",
        )


@rule(
    "CAL012", ERROR, "an existing topic for reminders is a standard topic in the profile's Region",
    why="An EventBridge rule cannot publish to a topic in another Region or to a FIFO topic, so the reminder would be lost.",
    source="https://aws.amazon.com/premiumsupport/knowledge-center/sns-not-getting-eventbridge-notification/",
    reads="calendar region", where="calendar",
)  # fmt: skip
def topic_is_standard_and_in_the_region(design: Design) -> Iterator[Finding]:
    """Check Region and type of `topic_arn`."""
    reminders = _of(design).reminders
    arn = reminders.topic_arn if reminders else None
    if arn is None:
        return
    at: Path = ("calendar", "reminders", "topic_arn")
    region = arn.split(":")[3]
    if region != design.profile.region:
        yield Finding(
            at=at,
            message=f"the topic is in {region}, but the profile is in {design.profile.region}",
            hint=f"set `topic_arn` to a topic in {design.profile.region}, or replace `topic_arn` with `emails`",
        )
    elif arn.endswith(".fifo"):
        yield Finding(
            at=at,
            message=f"{arn.rpartition(':')[2]} is a FIFO topic, to which EventBridge cannot publish",
            hint="set `topic_arn` to a standard topic",
        )
