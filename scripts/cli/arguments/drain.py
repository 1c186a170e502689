"""Arguments of `ultracluster drain`."""

from __future__ import annotations

import argparse
from datetime import datetime

from config.records import copied
from scripts.cli.arguments.common import Subcommands, add_command, add_common, add_place


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "drain",
        _run,
        help="stop new jobs from starting, and wait for running jobs",
        description="Stops new jobs from starting on a cluster, a group or single nodes, and waits for "
        "running jobs. Drain before you shrink a cluster, change a reservation or update node images.",
    )
    parser.add_argument("--group", action="append", default=[], help="compute group; can be repeated")
    parser.add_argument("--nodes", help="the scheduler's node names, separated by commas")
    parser.add_argument("--release", action="store_true", help="allow jobs to start again")
    parser.add_argument("--no-wait", action="store_true", help="do not wait for running jobs")
    add_waiting(parser)
    add_place(parser, aws=False)
    add_common(parser)


def add_waiting(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for waiting until jobs have finished."""
    parser.add_argument(
        "--deadline",
        metavar="WHEN",
        help="maximum wait, as 90m, 1h30m, 2d or 2027-01-18T11:00Z; default: the end of the reservation, "
        "if the profile sets it",
    )
    parser.add_argument(
        "--cancel-jobs", action="store_true", help="cancel jobs that still run at the deadline"
    )
    parser.add_argument(
        "--jobs-are-over",
        action="store_true",
        help="confirm that no jobs run, if the scheduler is not reachable from here",
    )


def _run(options: argparse.Namespace) -> int:
    from scripts.cli.lifecycle.command import run_at
    from scripts.cli.lifecycle.drain import DrainOptions, drain
    from scripts.cli.lifecycle.scheduler import Scope

    nodes = tuple(name.strip() for name in (options.nodes or "").split(",") if name.strip())
    scope = Scope(groups=tuple(dict.fromkeys(options.group)), nodes=nodes)
    chosen = copied(DrainOptions, options, scope=scope, wait=not options.no_wait)
    return run_at(
        options.profile,
        options.orchestrator,
        lambda where, reporter: drain(where, chosen, reporter),
        aws=options.aws,
        as_json=options.json,
        way_on=lambda where, began: where.command("drain", *_again(options, began)),
    )


def _again(options: argparse.Namespace, began: datetime) -> list[str]:
    from scripts.cli.lifecycle.deadline import as_moment

    arguments = [word for name in options.group for word in ("--group", name)]
    arguments += ["--nodes", options.nodes] if options.nodes else []
    arguments += ["--deadline", as_moment(options.deadline, began)] if options.deadline else []
    flags = ("release", "no_wait", "cancel_jobs", "jobs_are_over")
    return arguments + [f"--{name.replace('_', '-')}" for name in flags if getattr(options, name)]
