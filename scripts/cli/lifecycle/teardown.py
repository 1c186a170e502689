"""`ultracluster teardown`: delete a cluster in stages that can be stopped and run again.

The stages are `hold`, `jobs`, `export`, `destroy` and `left`. Each stage reads its state from the services,
so that the same command continues where an earlier one stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path

from scripts.cli.rehearsal.assembly import Assembly
from scripts.cli.rehearsal.destroy import (
    FILE_SYSTEM,
    Destroyed,
    Retained,
    notice,
    retained_resources,
    reuse_after_deletion,
)
from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cli.rehearsal.paths import forget_paths, published_root, refuse_what_others_stand_on
from scripts.cli.rehearsal.remaining import Place, latest, tagged
from scripts.cli.rehearsal.reuse import Reuse, links_of, reuse_of

from .deadline import in_words
from .deletion import delete_stack, refuse_while_it_changes, status_of
from .drain import by_hand, deadline_from, hold, moment_from, release_command
from .exports import ExportOptions, check_names, export, losses, refuse_losses
from .file_systems import FileSystem, file_systems
from .reporter import Reporter
from .scheduler import EVERYTHING, OutOfReachError
from .schedulers import scheduler_of
from .waiting import listed, wait_for_jobs
from .where import Where

STAGES = ("hold", "jobs", "export", "destroy", "left")
_NO_PRICE = "the price of retained resources is not listed here: see the pricing pages of FSx, S3 and KMS"

Asked = Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class TeardownOptions:
    """Options of a teardown. `confirm` is the stack's name; without it the user is prompted.

    `deadline` limits the wait for jobs, `export_deadline` limits the wait for exports, which starts
    afterwards.
    """

    confirm: str | None = None
    deadline: str | None = None
    export_deadline: str | None = None
    cancel_jobs: bool = False
    jobs_are_over: bool = False
    exports: ExportOptions = field(default_factory=ExportOptions)
    dry_run: bool = False


def check_confirmed(stack: str, confirm: str | None) -> None:
    """Raise if the user confirms with a name that is not the stack's name."""
    if confirm is not None and confirm.strip() != stack:
        raise RehearsalError(
            f"{confirm.strip()!r} is not the stack's name {stack!r}; the stack was not destroyed"
        )


def teardown(where: Where, options: TeardownOptions, reporter: Reporter, ask: Asked) -> None:
    """Tear down a cluster, or with `dry_run` print the steps."""
    check_confirmed(where.stack, options.confirm)
    deadline = deadline_from(where, options.deadline)
    moment_from(where, options.export_deadline)  # reject an invalid deadline before the first step
    status = status_of(where)
    if status is None:
        _report_left(where, reporter)
        return
    assembly = _as_assembly(where)
    refuse_what_others_stand_on(where.target, assembly)
    kept, systems = retained_resources(where.target, assembly), file_systems(where)
    check_names(systems, options.exports)
    if options.dry_run:
        _plan(where, status, systems, kept, options, deadline, reporter)
        return
    reporter.report("stays", notice(where.stack, kept, bills=where.aws), kept=[asdict(one) for one in kept])
    if status != "DELETE_IN_PROGRESS":
        refuse_while_it_changes(where.stack, status)
        # check before the first step whether the last step would fail
        refuse_losses(systems, options.exports)
    check_confirmed(where.stack, ask(where.stack) if options.confirm is None else options.confirm)
    if status != "DELETE_IN_PROGRESS":  # else an earlier run or another deletion has reached this stage
        _stop_work(where, options, deadline, reporter)
        # hours may have passed: another cluster may depend on the stack now
        refuse_what_others_stand_on(where.target, assembly)
    _destroy(where, assembly, kept, reporter)


def _stop_work(where: Where, options: TeardownOptions, deadline: datetime | None, reporter: Reporter) -> None:
    """Wait for jobs and then for exports; repeat both waits if jobs have started during the exports."""
    while True:
        _stop_jobs(where, options, deadline, reporter)
        _begin(reporter, "export", "waiting for exports to S3")
        until = moment_from(where, options.export_deadline)
        export(where, file_systems(where), options.exports, until, reporter)
        if not _work_again(where, options, reporter):
            return


def _work_again(where: Where, options: TeardownOptions, reporter: Reporter) -> bool:
    """Stop new jobs again, in case a queue has become active; return whether jobs run."""
    scheduler = scheduler_of(where)
    if scheduler is None:
        return False
    try:
        scheduler.hold(EVERYTHING)
        jobs = scheduler.running(EVERYTHING)
    except OutOfReachError as error:
        by_hand(error, options.jobs_are_over, reporter)
        return False
    if jobs:
        reporter.report(
            "jobs-again", f"  jobs have started during the exports: {listed(jobs)}", jobs=len(jobs)
        )
    return bool(jobs)


def _stop_jobs(where: Where, options: TeardownOptions, deadline: datetime | None, reporter: Reporter) -> None:
    """Run the first two stages; a stack without an existing cluster has no jobs."""
    _begin(reporter, "hold", "stopping new jobs")
    scheduler = scheduler_of(where)
    if scheduler is None:
        reporter.report("hold", "  the stack has no cluster that runs jobs", changed=[])
        return
    try:
        hold(scheduler, EVERYTHING, reporter)
        _begin(reporter, "jobs", "waiting for running jobs")
        wait_for_jobs(
            where,
            scheduler,
            EVERYTHING,
            reporter,
            deadline=deadline,
            cancel=options.cancel_jobs,
            way_on=release_command(where, EVERYTHING),
        )
    except OutOfReachError as error:
        by_hand(error, options.jobs_are_over, reporter)


def _destroy(where: Where, assembly: Assembly, kept: Sequence[Retained], reporter: Reporter) -> None:
    _begin(reporter, "destroy", f"deleting {where.stack}")
    root = published_root(where.target, assembly)
    place = _place(where)
    systems = [one.physical_id for one in kept if one.type == FILE_SYSTEM and one.physical_id]
    links = links_of(place, systems) if systems else ()
    if links:
        # DRAs are deleted first: print them now, because an interrupted run could not print them later
        lines = [
            "  to link the file systems with S3 again:",
            *(f"    {link.command(where.region)}" for link in links),
        ]
        reporter.report("links", "\n".join(lines), links=[asdict(link) for link in links])
    delete_stack(where, reporter)
    forget_paths(where.target, assembly, root)
    done = Destroyed(
        where.stack,
        where.region,
        tuple(kept),
        reuse_after_deletion(place, systems, links) if systems else Reuse(),
    )
    _begin(reporter, "left", "retained resources")
    price = {"usd_per_month": None, "price": _NO_PRICE} if kept else {}
    text = "\n".join([done.as_text(bills=where.aws), *([_NO_PRICE] if kept and where.aws else [])])
    reporter.report("destroyed", text, **asdict(done), **price)


def _report_left(where: Where, reporter: Reporter) -> None:
    """Report the retained file systems of a stack that is already deleted; raises if there are none."""
    place = _place(where)
    systems = tagged(place)
    if not systems:
        raise where.missing()
    lines = reuse_of(place, latest(systems), ()).lines()
    text = "\n".join([f"{where.stack} is already deleted; its file systems are retained", *lines])
    reporter.report("left", text, stack=where.stack, region=where.region)


def _place(where: Where) -> Place:
    return Place(target=where.target, region=where.region, profile=where.stack, design=where.design)


def _begin(reporter: Reporter, stage: str, text: str) -> None:
    number = STAGES.index(stage) + 1
    reporter.report(
        "stage", f"[{number}/{len(STAGES)}] {stage}: {text}", stage=stage, number=number, of=len(STAGES)
    )


def _as_assembly(where: Where) -> Assembly:
    """Return the stack in the form that the rehearsal uses; a deletion needs no synthesis."""
    return Assembly(Path(), where.stack, where.region, where.design.profile.account, True, {})


def _plan(
    where: Where,
    status: str,
    systems: Sequence[FileSystem],
    kept: Sequence[Retained],
    options: TeardownOptions,
    deadline: datetime | None,
    reporter: Reporter,
) -> None:
    """Print the steps for the current state, without changes."""
    reporter.report("plan", f"{where.stack} in {where.region} is {status}; this is a dry run", status=status)
    _begin(reporter, "hold", "would stop new jobs")
    _begin(reporter, "jobs", "would wait for running jobs")
    _report_running(where, options, reporter)
    if deadline is not None:
        left = in_words((deadline - where.now()).total_seconds())
        at = deadline.strftime("%Y-%m-%dT%H:%MZ")
        reporter.report("deadline", f"  until {at}, {left} from now", deadline=at)
    _begin(reporter, "export", "would wait for exports to S3")
    for system in systems:
        reporter.report(
            "file-system", f"  {_in_words(system)}", **asdict(system) | {"backup": str(system.backup or "")}
        )
    for loss in losses(systems, options.exports):
        reporter.report("loss", f"  data would be lost: {loss}")
    if where.design.profile.storage and where.design.profile.storage.local_nvme:
        reporter.report("local", "  data on the nodes' local disks is lost")
    _begin(reporter, "destroy", "would delete the stack")
    _begin(reporter, "left", "would retain resources")
    reporter.report(
        "stays", notice(where.stack, tuple(kept), bills=where.aws), kept=[asdict(one) for one in kept]
    )


def _report_running(where: Where, options: TeardownOptions, reporter: Reporter) -> None:
    scheduler = scheduler_of(where)
    if scheduler is None:
        reporter.report("jobs", "  the stack has no cluster that runs jobs", jobs=0)
        return
    try:
        jobs = scheduler.running(EVERYTHING)
    except OutOfReachError as error:
        by_hand(error, options.jobs_are_over, reporter)
        return
    reporter.report(
        "jobs", f"  running jobs: {len(jobs)}{f' ({listed(jobs)})' if jobs else ''}", jobs=len(jobs)
    )


def _in_words(system: FileSystem) -> str:
    goes = "is deleted with the stack" if system.goes else "is retained"
    out = [link.path for link in system.links if link.exports]
    to_s3 = (
        f"{', '.join(out)} is exported automatically" if out else "its files are not exported automatically"
    )
    return f"{system.title} {goes}; {to_s3}"
