"""`ultracluster teardown`: the last day of a cluster, in stages that can be stopped and run again.

Each stage reads from the services how far it is, so that the same command goes on where an earlier one
stopped: hold, jobs, export, destroy, left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path

from scripts.cli.rehearsal.again import Again, again, links_of
from scripts.cli.rehearsal.assembly import Assembly
from scripts.cli.rehearsal.destroy import FILE_SYSTEM, Destroyed, Kept, again_of, kept_resources, notice
from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cli.rehearsal.left import Place, latest, tagged
from scripts.cli.rehearsal.paths import forget_paths, published_root, refuse_what_others_stand_on

from .deadline import in_words
from .deletion import delete_stack, refuse_while_it_changes, status_of
from .drain import by_hand, deadline_from, hold, moment_from, release_command
from .exports import ExportOptions, check_names, export, losses, refuse_losses
from .file_systems import FileSystem, file_systems
from .scheduler import EVERYTHING, OutOfReachError
from .schedulers import scheduler_of
from .told import Teller
from .waiting import listed, wait_for_jobs
from .where import Where

STAGES = ("hold", "jobs", "export", "destroy", "left")
_NO_PRICE = "no price of what stayed is listed here: the pricing pages of FSx, S3 and KMS have them"

Asked = Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class TeardownOptions:
    """How to tear down. `confirm` is the stack's name; without it the user is asked.

    Jobs are waited for until `deadline`, what goes to S3 until `export_deadline`, which begins after them.
    """

    confirm: str | None = None
    deadline: str | None = None
    export_deadline: str | None = None
    cancel_jobs: bool = False
    jobs_are_over: bool = False
    exports: ExportOptions = field(default_factory=ExportOptions)
    dry_run: bool = False


def check_confirmed(stack: str, confirm: str | None) -> None:
    """Refuse another name than the stack's."""
    if confirm is not None and confirm.strip() != stack:
        raise RehearsalError(f"{confirm.strip()!r} is not {stack!r}: nothing was destroyed")


def teardown(where: Where, options: TeardownOptions, tell: Teller, ask: Asked) -> None:
    """Tear down, or with `dry_run` say what would be done."""
    check_confirmed(where.stack, options.confirm)
    deadline = deadline_from(where, options.deadline)
    moment_from(where, options.export_deadline)  # what cannot be read is refused before anything is done
    status = status_of(where)
    if status is None:
        _tell_left(where, tell)
        return
    assembly = _as_assembly(where)
    refuse_what_others_stand_on(where.target, assembly)
    kept, systems = kept_resources(where.target, assembly), file_systems(where)
    check_names(systems, options.exports)
    if options.dry_run:
        _plan(where, status, systems, kept, options, deadline, tell)
        return
    tell.tell("stays", notice(where.stack, kept, bills=where.aws), kept=[asdict(one) for one in kept])
    if status != "DELETE_IN_PROGRESS":
        refuse_while_it_changes(where.stack, status)
        # before anything is held: what is refused in the end is refused at once
        refuse_losses(systems, options.exports)
    check_confirmed(where.stack, ask(where.stack) if options.confirm is None else options.confirm)
    if status != "DELETE_IN_PROGRESS":  # else an earlier run came as far, or somebody else's deletion
        _stop_work(where, options, deadline, tell)
        # hours may have passed: another cluster may stand on it by now
        refuse_what_others_stand_on(where.target, assembly)
    _destroy(where, assembly, kept, tell)


def _stop_work(where: Where, options: TeardownOptions, deadline: datetime | None, tell: Teller) -> None:
    """Jobs, then what they wrote; from the first again where jobs have started while that went to S3."""
    while True:
        _stop_jobs(where, options, deadline, tell)
        _begin(tell, "export", "what goes to S3 is waited for")
        until = moment_from(where, options.export_deadline)
        export(where, file_systems(where), options.exports, until, tell)
        if not _work_again(where, options, tell):
            return


def _work_again(where: Where, options: TeardownOptions, tell: Teller) -> bool:
    """Whether jobs run: a deployment or a service that sets up nodes anew takes holds back."""
    scheduler = scheduler_of(where)
    if scheduler is None:
        return False
    try:
        scheduler.hold(EVERYTHING)
        jobs = scheduler.running(EVERYTHING)
    except OutOfReachError as error:
        by_hand(error, options.jobs_are_over, tell)
        return False
    if jobs:
        tell.tell("jobs-again", f"  jobs have started since: {listed(jobs)}", jobs=len(jobs))
    return bool(jobs)


def _stop_jobs(where: Where, options: TeardownOptions, deadline: datetime | None, tell: Teller) -> None:
    """The first two stages; a stack without a cluster, or whose cluster is gone already, has none."""
    _begin(tell, "hold", "no new jobs start")
    scheduler = scheduler_of(where)
    if scheduler is None:
        tell.tell("hold", "  no cluster takes jobs", changed=[])
        return
    try:
        hold(scheduler, EVERYTHING, tell)
        _begin(tell, "jobs", "those that run are waited for")
        wait_for_jobs(
            where,
            scheduler,
            EVERYTHING,
            tell,
            deadline=deadline,
            cancel=options.cancel_jobs,
            way_on=release_command(where, EVERYTHING),
        )
    except OutOfReachError as error:
        by_hand(error, options.jobs_are_over, tell)


def _destroy(where: Where, assembly: Assembly, kept: Sequence[Kept], tell: Teller) -> None:
    _begin(tell, "destroy", f"{where.stack} is deleted")
    root = published_root(where.target, assembly)
    place = _place(where)
    systems = [one.physical_id for one in kept if one.type == FILE_SYSTEM and one.physical_id]
    links = links_of(place, systems) if systems else ()
    if links:
        # links go first, and a run that is stopped after that could not tell them any longer
        lines = [
            "  to link the file systems with S3 again:",
            *(f"    {link.command(where.region)}" for link in links),
        ]
        tell.tell("links", "\n".join(lines), links=[asdict(link) for link in links])
    delete_stack(where, tell)
    forget_paths(where.target, assembly, root)
    done = Destroyed(
        where.stack, where.region, tuple(kept), again_of(place, systems, links) if systems else Again()
    )
    _begin(tell, "left", "what stays")
    price = {"usd_per_month": None, "price": _NO_PRICE} if kept else {}
    text = "\n".join([done.as_text(bills=where.aws), *([_NO_PRICE] if kept and where.aws else [])])
    tell.tell("destroyed", text, **asdict(done), **price)


def _tell_left(where: Where, tell: Teller) -> None:
    """What an earlier run has left, where it was stopped before it could say so; refused where nothing is."""
    place = _place(where)
    systems = tagged(place)
    if not systems:
        raise where.missing()
    lines = again(place, latest(systems), ()).lines()
    text = "\n".join([f"{where.stack} is destroyed already; its file systems stayed", *lines])
    tell.tell("left", text, stack=where.stack, region=where.region)


def _place(where: Where) -> Place:
    return Place(target=where.target, region=where.region, profile=where.stack, design=where.design)


def _begin(tell: Teller, stage: str, text: str) -> None:
    number = STAGES.index(stage) + 1
    tell.tell(
        "stage", f"[{number}/{len(STAGES)}] {stage}: {text}", stage=stage, number=number, of=len(STAGES)
    )


def _as_assembly(where: Where) -> Assembly:
    """The stack as the rehearsal's parts take it: nothing needs to be synthesized to be destroyed."""
    return Assembly(Path(), where.stack, where.region, where.design.profile.account, True, {})


def _plan(
    where: Where,
    status: str,
    systems: Sequence[FileSystem],
    kept: Sequence[Kept],
    options: TeardownOptions,
    deadline: datetime | None,
    tell: Teller,
) -> None:
    """What would be done, by what is there now; nothing is changed."""
    tell.tell("plan", f"{where.stack} in {where.region} is {status}; nothing is changed now", status=status)
    _begin(tell, "hold", "would let no new jobs start")
    _begin(tell, "jobs", "would wait for those that run")
    _tell_running(where, options, tell)
    if deadline is not None:
        left = in_words((deadline - where.now()).total_seconds())
        at = deadline.strftime("%Y-%m-%dT%H:%MZ")
        tell.tell("deadline", f"  until {at}, {left} from now", deadline=at)
    _begin(tell, "export", "would wait for what goes to S3")
    for system in systems:
        tell.tell(
            "file-system", f"  {_in_words(system)}", **asdict(system) | {"backup": str(system.backup or "")}
        )
    for told in losses(systems, options.exports):
        tell.tell("loss", f"  refused: {told}")
    if where.design.profile.storage and where.design.profile.storage.local_nvme:
        tell.tell("local", "  the local disks of nodes go with them: nothing of them is kept")
    _begin(tell, "destroy", "would delete the stack")
    _begin(tell, "left", "would stay")
    tell.tell("stays", notice(where.stack, tuple(kept), bills=where.aws), kept=[asdict(one) for one in kept])


def _tell_running(where: Where, options: TeardownOptions, tell: Teller) -> None:
    scheduler = scheduler_of(where)
    if scheduler is None:
        tell.tell("jobs", "  no cluster takes jobs", jobs=0)
        return
    try:
        jobs = scheduler.running(EVERYTHING)
    except OutOfReachError as error:
        by_hand(error, options.jobs_are_over, tell)
        return
    tell.tell("jobs", f"  {len(jobs)} run now{f': {listed(jobs)}' if jobs else ''}", jobs=len(jobs))


def _in_words(system: FileSystem) -> str:
    goes = "goes with the stack" if system.goes else "stays"
    out = [link.path for link in system.links if link.exports]
    to_s3 = f"{', '.join(out)} goes to S3 by itself" if out else "nothing of it goes to S3 by itself"
    return f"{system.title} {goes}; {to_s3}"
