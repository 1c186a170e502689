"""Run a teardown on AWS, on the running embedded cloud, or on a new one after a deployment."""

from __future__ import annotations

import signal
from datetime import datetime
from types import FrameType
from typing import NoReturn

from config.cluster import load_cluster
from scripts.cli.rehearsal.destroy import asked
from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cli.rehearsal.progress import say
from scripts.cli.rehearsal.session import Options, deploy_stack, synthesized
from scripts.cli.rehearsal.toolkit import ROOT, seen_from_the_app

from .command import run_at
from .deadline import as_moment
from .reporter import Reporter
from .teardown import TeardownOptions, check_confirmed, teardown
from .where import Where


def run_teardown(
    profile: str, orchestrator: str | None, options: TeardownOptions, *, aws: bool, as_json: bool
) -> int:
    """Tear down a cluster; returns 0 (success, dry run), 1 (failed), 2 (not started) or 130 (interrupted)."""
    cluster = load_cluster(profile, orchestrator=orchestrator)
    if cluster.design is not None:
        try:
            # check before an embedded cloud is started
            check_confirmed(cluster.design.profile.name, options.confirm)
        except RehearsalError as error:
            Reporter(as_json=as_json).report("refused", error.with_hint(), status=error.status)
            return error.status

    def do(where: Where, reporter: Reporter) -> None:
        if where.target.started:
            _deploy_first(where)
        teardown(where, options, reporter, asked)

    signal.signal(signal.SIGTERM, _end)
    return run_at(
        profile,
        orchestrator,
        do,
        aws=aws,
        as_json=as_json,
        starts=True,
        way_on=lambda where, began: where.command("teardown", *_again(options, began)),
    )


def _again(options: TeardownOptions, began: datetime) -> list[str]:
    """Return the options of the command that continues this teardown."""
    arguments = ["--deadline", as_moment(options.deadline, began)] if options.deadline else []
    arguments += ["--export-deadline", options.export_deadline] if options.export_deadline else []
    arguments += ["--cancel-jobs"] if options.cancel_jobs else []
    arguments += ["--jobs-are-over"] if options.jobs_are_over else []
    arguments += ["--export"] if options.exports.by_task else []
    return arguments + [word for name in options.exports.allowed for word in ("--allow-data-loss", name)]


def _deploy_first(where: Where) -> None:
    say("- the embedded cloud does not run: the stack is deployed first, and then destroyed")
    options = Options(profile=seen_from_the_app(where.profile, ROOT), orchestrator=where.orchestrator)
    with synthesized(options, options.profile) as assembly:
        deploy_stack(options, assembly, where.target)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt  # stops child processes, and prints the command to continue
