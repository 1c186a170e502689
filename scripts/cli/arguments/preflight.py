"""`ultracluster preflight`."""

from __future__ import annotations

import argparse

from scripts.cli.arguments.common import Subcommands, add_command, add_common, add_place


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "preflight",
        _run,
        help="ask an account whether it can have the cluster: reservations, quotas, networks, buckets, names",
        description="Asks the account of your credentials, and changes nothing: whether what the profile "
        "states is so there, and whether what it needs is free. What may not be asked is told as not "
        "checked, and fails nothing.",
    )
    add_place(parser, aws=True)
    parser.add_argument(
        "--policy", action="store_true", help="print the permissions that it takes, and ask nobody"
    )
    files = parser.add_mutually_exclusive_group()
    files.add_argument(
        "--answers", metavar="FOLDER", help="read what the AWS CLI has printed into files, and ask nobody"
    )
    files.add_argument(
        "--record", metavar="FOLDER", help="write the answers into such files, without account numbers"
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
