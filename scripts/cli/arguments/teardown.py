"""`ultracluster teardown`."""

from __future__ import annotations

import argparse

from config.records import copied
from scripts.cli.arguments.common import Subcommands, add_command, add_common, add_place
from scripts.cli.arguments.drain import add_waiting


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "teardown",
        _run,
        help="let jobs and exports end, then destroy a profile's stack; data stays",
        description="Lets no new jobs start, waits for those that run and until S3 has what is exported, "
        "destroys the stack and says what stays. It can be stopped at any time: the same command goes on. It "
        "refuses while data would be lost.",
    )
    parser.add_argument("--confirm", metavar="NAME", help="the stack's name, instead of asking for it")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, change nothing")
    add_waiting(parser)
    parser.add_argument(
        "--export-deadline",
        metavar="WHEN",
        help="wait so long for what goes to S3; default: until it is there",
    )
    parser.add_argument(
        "--export", action="store_true", help="export by a task what is linked to S3 and goes with the stack"
    )
    parser.add_argument(
        "--allow-data-loss",
        action="append",
        default=[],
        metavar="NAME",
        help="a file system whose data may be lost, by its name or id; can be given again",
    )
    add_place(parser, aws=False)
    add_common(parser)


def _run(options: argparse.Namespace) -> int:
    from scripts.cli.lifecycle.exports import ExportOptions
    from scripts.cli.lifecycle.teardown import TeardownOptions
    from scripts.cli.lifecycle.teardown_command import run_teardown

    chosen = copied(
        TeardownOptions,
        options,
        exports=ExportOptions(allowed=tuple(options.allow_data_loss), by_task=options.export),
    )
    return run_teardown(options.profile, options.orchestrator, chosen, aws=options.aws, as_json=options.json)
