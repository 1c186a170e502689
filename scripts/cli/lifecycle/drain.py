"""`ultracluster drain`: no new jobs on a group, a node or the whole cluster, and a wait for those that run.

What comes next is somebody else's: fewer nodes, another reservation, a new image. `hold_and_wait` is the same
for code that goes on by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from scripts.cli.rehearsal.errors import RehearsalError

from .deadline import DeadlineError, deadline_of, end_of_capacity, in_words
from .scheduler import EVERYTHING, OutOfReachError, Scheduler, Scope
from .schedulers import check_scope, scheduler_of
from .told import Teller
from .waiting import few, wait_for_jobs
from .where import Where

_SLIP = timedelta(days=1)
"""A moment that is longer past is a slip of the pen, as a command that goes on is typed within a day."""


@dataclass(frozen=True, kw_only=True)
class DrainOptions:
    """What to drain, and how long jobs are waited for. `deadline` as the user writes it, see deadline.py."""

    scope: Scope = EVERYTHING
    release: bool = False
    wait: bool = True
    deadline: str | None = None
    cancel_jobs: bool = False
    jobs_are_over: bool = False


def drain(where: Where, options: DrainOptions, tell: Teller) -> None:
    """Drain a scope, or release it."""
    check_scope(where, options.scope)
    deadline = deadline_from(where, options.deadline, options.scope.groups)
    scheduler = scheduler_of(where)
    if scheduler is None:
        raise RehearsalError(f"{where.stack} has no cluster that takes jobs")
    if options.release:
        release(scheduler, options.scope, tell)
        return
    hold_and_wait(where, scheduler, options, deadline, tell)
    tell.tell("drained", f"{options.scope} takes no jobs; to let jobs start again:", scope=str(options.scope))
    tell.tell("next", f"  {release_command(where, options.scope)}")


def hold_and_wait(
    where: Where, scheduler: Scheduler, options: DrainOptions, deadline: datetime | None, tell: Teller
) -> None:
    """Hold a scope and wait until its jobs are over.

    Where the scheduler cannot be asked from here, what to type is said, and `jobs_are_over` goes on.
    """
    try:
        hold(scheduler, options.scope, tell)
        if options.wait:
            wait_for_jobs(
                where,
                scheduler,
                options.scope,
                tell,
                deadline=deadline,
                cancel=options.cancel_jobs,
                way_on=release_command(where, options.scope),
            )
    except OutOfReachError as error:
        by_hand(error, options.jobs_are_over, tell)


def hold(scheduler: Scheduler, scope: Scope, tell: Teller) -> tuple[str, ...]:
    """Start no new jobs; gives what was changed."""
    done = scheduler.hold(scope)
    told = f"held: {few(done)}" if done else "held already"
    tell.tell("hold", f"- no new jobs on {scope}: {told}", scope=str(scope), changed=done)
    return done


def release(scheduler: Scheduler, scope: Scope, tell: Teller) -> None:
    """Let jobs start again."""
    done = scheduler.release(scope)
    told = f"released: {few(done)}" if done else "nothing was held here"
    tell.tell("release", f"- jobs start again on {scope}: {told}", scope=str(scope), changed=done)


def by_hand(error: OutOfReachError, jobs_are_over: bool, tell: Teller) -> None:
    """Say what to type where the API answers; refused until the user says that it was done."""
    if jobs_are_over:
        tell.tell("by-hand", f"- {error}: taken by your word that no jobs run", reason=str(error))
        return
    lines = [
        str(error),
        "type these where it answers (inside the VPC, on a VPN, or on a node), until no job runs:",
        *(f"  {command}" for command in error.commands),
        "then go on with --jobs-are-over",
    ]
    raise RehearsalError("\n".join(lines))


def deadline_from(where: Where, text: str | None, groups: tuple[str, ...] = ()) -> datetime | None:
    """The deadline that the user writes; else when the first reservation of these groups ends by itself."""
    return end_of_capacity(where.design, where.now(), groups) if text is None else moment_from(where, text)


def moment_from(where: Where, text: str | None) -> datetime | None:
    """The moment that the user writes; None for none."""
    now = where.now()
    try:
        found = None if text is None else deadline_of(text, now)
    except DeadlineError as error:
        raise RehearsalError(str(error), 2) from None
    if found is not None and found < now - _SLIP:
        ago = in_words((now - found).total_seconds())
        raise RehearsalError(
            f"the deadline {text} passed {ago} ago; moments are in UTC; write 0m where no wait is meant", 2
        )
    return found


def release_command(where: Where, scope: Scope) -> str:
    """The command that lets jobs start again."""
    words = [word for name in scope.groups for word in ("--group", name)]
    words += ["--nodes", ",".join(scope.nodes)] if scope.nodes else []
    return where.command("drain", *words, "--release")
