"""Rules for PCS queues and their groups."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.catalog.slurm.slurm_values import YES
from config.design.model import Design
from config.design.slurm.pcs import queues_of
from config.diagnostics import Path
from config.profile.capacity.groups import Group
from config.profile.slurm.pcs import Pcs, Queue
from config.rules.registry import ERROR, Finding, rule

_QUEUES = "https://docs.aws.amazon.com/pcs/latest/APIReference/API_CreateQueue.html"


@rule(
    "PCS024", ERROR, "a PCS queue has a unique name of 3 to 25 characters",
    why="PCS rejects other names. Without `queues`, each partition of the compute groups becomes a queue.",
    source=_QUEUES, reads="compute orchestrator", where="pcs",
)  # fmt: skip
def queues_are_named(design: Design) -> Iterator[Finding]:
    """Check the names of queues, and of partitions that become queues."""
    pcs = design.profile.orchestrator
    if not isinstance(pcs, Pcs):
        return
    seen: set[str] = set()
    for at, name in _names(design, pcs):
        if fault := _length_fault(name):
            yield Finding(at=at, message=fault, hint=_shorter(at))
        if pcs.queues is not None and name in seen:
            yield Finding(at=at, message=f"two queues have the name {name}", hint="merge the two queues")
        seen.add(name)


def _names(design: Design, pcs: Pcs) -> Iterator[tuple[Path, str]]:
    if pcs.queues is not None:
        for i, queue in enumerate(pcs.queues):
            yield ("orchestrator", "queues", i, "name"), queue.name
        return
    for at, group in design.placed_groups:
        if group.role == "compute":
            yield (*at, "partition" if group.partition else "name"), group.partition or group.name


def _length_fault(name: str) -> str | None:
    least, most = catalog().pcs.min_name_length, catalog().pcs.max_name_length
    if least <= len(name) <= most:
        return None
    return f"queue name {name} has {len(name)} characters, but PCS requires {least} to {most}"


def _shorter(at: Path) -> str:
    span = f"{catalog().pcs.min_name_length} to {catalog().pcs.max_name_length} characters"
    key = "partition" if at[0] == "compute" else "name"
    return f"set a `{key}` of {span}"


@rule(
    "PCS025", ERROR, "each compute group is in a queue, and queues contain only compute groups",
    why="A group gets jobs only through a queue. A login group in a queue would run jobs. If `queues` is set, `partition` has no "
    "effect.",
    source=_QUEUES, reads="compute orchestrator", where="pcs",
)  # fmt: skip
def queues_have_the_compute_groups(design: Design) -> Iterator[Finding]:
    """Check `queues` against the groups of the profile."""
    pcs = design.profile.orchestrator
    if not isinstance(pcs, Pcs) or pcs.queues is None:
        return
    known = {group.name: group for _, group in design.placed_groups}
    for i, queue in enumerate(pcs.queues):
        yield from _members(("orchestrator", "queues", i, "groups"), queue, known)
    used = {name for queue in pcs.queues for name in queue.groups}
    for at, group in design.placed_groups:
        if group.partition is not None:
            yield Finding(
                at=(*at, "partition"),
                message=f"`partition: {group.partition}` has no effect, because `queues` is set",
                hint="remove `partition` or `queues`",
            )
        elif group.role == "compute" and group.name not in used:
            yield Finding(
                at=(*at, "name"),
                message=f"no queue contains group {group.name}, so its {group.count} nodes do not run jobs",
                hint=f"add group {group.name} to the `groups` of a queue",
            )


def _members(at: Path, queue: Queue, known: dict[str, Group]) -> Iterator[Finding]:
    for i, name in enumerate(queue.groups):
        group = known.get(name)
        if group is None:
            names = ", ".join(sorted(other.name for other in known.values() if other.role == "compute"))
            yield Finding(
                at=(*at, i), message=f"the profile has no group `{name}`", hint=f"in `groups`, write {names}"
            )
        elif group.role != "compute":
            yield Finding(
                at=(*at, i),
                message=f"queue {queue.name} would run jobs on {name}, which is not a compute group but a {group.role} group",
                hint=f"remove group {name} from `groups`, or set `role: compute` for group {name}",
            )
        elif name in queue.groups[:i]:
            yield Finding(at=(*at, i), message=f"group {name} is listed twice", hint="remove one entry")


@rule(
    "PCS026", ERROR, "a PCS cluster has at most as many queues as its quota allows",
    why="AWS does not raise this quota.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/service-endpoints-quotas.html",
    reads="compute orchestrator", where="pcs",
    ages="the quotas of a PCS cluster",
)  # fmt: skip
def queues_are_within_the_quota(design: Design) -> Iterator[Finding]:
    """Check the number of queues."""
    pcs, most = design.profile.orchestrator, catalog().pcs.max_queues
    if not isinstance(pcs, Pcs) or pcs.queues is None:
        return  # there is at most one partition per group, and the quotas of groups and queues are equal
    number = len(queues_of(design.profile, design.groups))
    if number > most:
        yield Finding(
            at=("orchestrator", "queues"),
            message=f"there are {number} queues, but a PCS cluster has at most {most}",
            hint="use one queue for several groups",
        )


@rule(
    "PCS037", ERROR, "at most one queue is the default for jobs",
    why="If two queues have `Default: YES`, Slurm silently uses the last of these queues in slurm.conf. PCS decides the order.",
    source="https://slurm.schedmd.com/slurm.conf.html", reads="orchestrator", where="slurm-settings",
)  # fmt: skip
def one_queue_is_the_default(design: Design) -> Iterator[Finding]:
    """Check `Default` of all queues."""
    pcs = design.profile.orchestrator
    defaults = [
        (i, queue.name)
        for i, queue in enumerate((isinstance(pcs, Pcs) and pcs.queues) or ())
        if (queue.settings.get("Default") or "").strip().upper() in YES
    ]
    for i, name in defaults[1:]:
        yield Finding(
            at=("orchestrator", "queues", i, "settings", "Default"),
            message=f"queues {name} and {defaults[0][1]} both have `Default: YES`",
            hint=f"set `Default: NO` for {name}, or remove `Default`",
        )
