"""`ultracluster drain`: stop new jobs on a group, a node or the whole cluster, and wait for running jobs.

The next step (fewer nodes, another reservation, a new image) is a separate command. `hold_and_wait` does the
same for code that continues automatically.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from scripts.cli.rehearsal.errors import RehearsalError

from .deadline import DeadlineError, deadline_of, end_of_capacity, in_words
from .reporter import Reporter
from .scheduler import EVERYTHING, OutOfReachError, Scheduler, Scope
from .schedulers import check_scope, scheduler_of
from .waiting import few, wait_for_jobs
from .where import Where

_SLIP = timedelta(days=1)
"""A deadline that is further in the past than this is rejected as a typing error."""


@dataclass(frozen=True, kw_only=True)
class DrainOptions:
    """Options of a drain. `deadline` is the user's text, which deadline.py parses."""

    scope: Scope = EVERYTHING
    release: bool = False
    wait: bool = True
    deadline: str | None = None
    cancel_jobs: bool = False
    jobs_are_over: bool = False


def drain(where: Where, options: DrainOptions, reporter: Reporter) -> None:
    """Drain a scope, or release it."""
    check_scope(where, options.scope)
    deadline = deadline_from(where, options.deadline, options.scope.groups)
    scheduler = scheduler_of(where)
    if scheduler is None:
        raise RehearsalError(f"{where.stack} has no cluster that runs jobs")
    if options.release:
        release(scheduler, options.scope, reporter)
        return
    hold_and_wait(where, scheduler, options, deadline, reporter)
    reporter.report(
        "drained", f"{options.scope} accepts no new jobs; to start jobs again:", scope=str(options.scope)
    )
    reporter.report("next", f"  {release_command(where, options.scope)}")


def hold_and_wait(
    where: Where, scheduler: Scheduler, options: DrainOptions, deadline: datetime | None, reporter: Reporter
) -> None:
    """Stop new jobs on a scope and wait until its running jobs have finished.

    If the scheduler cannot be reached, an error lists the commands to run manually. With `jobs_are_over`, no
    error is raised.
    """
    try:
        hold(scheduler, options.scope, reporter)
        if options.wait:
            wait_for_jobs(
                where,
                scheduler,
                options.scope,
                reporter,
                deadline=deadline,
                cancel=options.cancel_jobs,
                way_on=release_command(where, options.scope),
            )
    except OutOfReachError as error:
        by_hand(error, options.jobs_are_over, reporter)


def hold(scheduler: Scheduler, scope: Scope, reporter: Reporter) -> tuple[str, ...]:
    """Stop new jobs; returns the changed objects."""
    done = scheduler.hold(scope)
    result = f"stopped new jobs on {scope}: {few(done)}" if done else f"no new jobs start on {scope} already"
    reporter.report("hold", f"- {result}", scope=str(scope), changed=done)
    return done


def release(scheduler: Scheduler, scope: Scope, reporter: Reporter) -> None:
    """Start jobs again."""
    done = scheduler.release(scope)
    result = f"released: {few(done)}" if done else "ultracluster had not stopped new jobs"
    reporter.report("release", f"- jobs start again on {scope}: {result}", scope=str(scope), changed=done)


def by_hand(error: OutOfReachError, jobs_are_over: bool, reporter: Reporter) -> None:
    """Raise an error with manual commands or, with `jobs_are_over`, report that the command continues."""
    if jobs_are_over:
        reporter.report(
            "by-hand", f"- {error}: assuming that no jobs run, because of --jobs-are-over", reason=str(error)
        )
        return
    lines = [
        str(error),
        "run these commands where the API is reachable (inside the VPC, on a VPN, or on a node), until "
        "no job runs:",
        *(f"  {command}" for command in error.commands),
        "then continue with --jobs-are-over",
    ]
    raise RehearsalError("\n".join(lines))


def deadline_from(where: Where, text: str | None, groups: tuple[str, ...] = ()) -> datetime | None:
    """Return the user's deadline or, without one, the earliest end of the groups' reservations."""
    return end_of_capacity(where.design, where.now(), groups) if text is None else moment_from(where, text)


def moment_from(where: Where, text: str | None) -> datetime | None:
    """Return the time that the user's text describes; None if there is no text."""
    now = where.now()
    try:
        found = None if text is None else deadline_of(text, now)
    except DeadlineError as error:
        raise RehearsalError(str(error), 2) from None
    if found is not None and found < now - _SLIP:
        ago = in_words((now - found).total_seconds())
        raise RehearsalError(f"the deadline {text} passed {ago} ago (in UTC); write 0m for no wait", 2)
    return found


def release_command(where: Where, scope: Scope) -> str:
    """Return the command that starts jobs again."""
    arguments = [word for name in scope.groups for word in ("--group", name)]
    arguments += ["--nodes", ",".join(scope.nodes)] if scope.nodes else []
    return where.command("drain", *arguments, "--release")
