"""`ultracluster rotate`."""

from __future__ import annotations

import argparse

from scripts.cli.arguments.common import Subcommands, add_command, add_common


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "rotate",
        _run,
        help="what to do when one reservation ends and the next begins",
        description="Tells, in their order, the steps that take a group of machines from its reservation to "
        "the one that its profile names as `next`, with the edit and command of each. It deploys nothing.",
    )
    parser.add_argument("--group", metavar="NAME", help="default: the only one with a next reservation")
    parser.add_argument(
        "--to", metavar="FOLDER", help="write the profile of each deployment there, ready to be deployed"
    )
    add_common(parser)


def _run(options: argparse.Namespace) -> int:
    from scripts.cli.lifecycle.rotate import rotate

    return rotate(
        options.profile,
        orchestrator=options.orchestrator,
        group=options.group,
        folder=options.to,
        as_json=options.json,
    )
