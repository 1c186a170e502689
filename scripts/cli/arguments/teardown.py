"""Arguments of `ultracluster teardown`."""

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
        help="wait for jobs and exports, then delete the stack of a profile; data is retained",
        description="Stops new jobs from starting, waits for running jobs and for exports to S3, deletes the "
        "stack and lists the retained resources. You can interrupt the command and run it again to continue. "
        "The command stops with an error if data would be lost.",
    )
    parser.add_argument("--confirm", metavar="NAME", help="name of the stack, to skip the prompt")
    parser.add_argument("--dry-run", action="store_true", help="print the steps without changing anything")
    add_waiting(parser)
    parser.add_argument(
        "--export-deadline",
        metavar="WHEN",
        help="maximum wait for exports to S3; default: until the exports are complete",
    )
    parser.add_argument(
        "--export",
        action="store_true",
        help="run an export task for file systems that are deleted with the stack",
    )
    parser.add_argument(
        "--allow-data-loss",
        action="append",
        default=[],
        metavar="NAME",
        help="name or ID of a file system whose data may be lost; can be repeated",
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
