"""Arguments of `ultracluster preflight`."""

from __future__ import annotations

import argparse

from scripts.cli.arguments.common import Subcommands, add_command, add_common, add_place


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "preflight",
        _run,
        help="check an AWS account for reservations, quotas, networks, buckets and names",
        description="Reads from your AWS account, and does not change the account. The command checks that "
        "the resources in the profile exist as declared, and that the required quotas and names are "
        'available. Checks that your credentials do not allow are reported as "not checked" and do not fail '
        "the command.",
    )
    add_place(parser, aws=True)
    parser.add_argument(
        "--policy", action="store_true", help="print the required permissions without calling AWS"
    )
    files = parser.add_mutually_exclusive_group()
    files.add_argument(
        "--answers",
        metavar="FOLDER",
        help="read saved answers of the AWS CLI from files instead of calling AWS",
    )
    files.add_argument(
        "--record", metavar="FOLDER", help="save the answers to files, without account numbers"
    )
    add_common(parser)


def _run(options: argparse.Namespace) -> int:
    from scripts.cli.preflight.command import preflight

    return preflight(
        options.profile,
        orchestrator=options.orchestrator,
        embedded=not options.aws,
        policy=options.policy,
        answers=options.answers,
        record=options.record,
        as_json=options.json,
    )
