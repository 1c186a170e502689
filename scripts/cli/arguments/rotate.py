"""Arguments of `ultracluster rotate`."""

from __future__ import annotations

import argparse

from scripts.cli.arguments.common import Subcommands, add_command, add_common


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "rotate",
        _run,
        help="list the steps to move a group to its next reservation",
        description="Lists, in order, the steps that move a group from its current reservation to the "
        "reservation in `next`, each with its profile change and its command. The command does not deploy.",
    )
    parser.add_argument("--group", metavar="NAME", help="default: the only group with a next reservation")
    parser.add_argument("--to", metavar="FOLDER", help="write the profile of each deployment to this folder")
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
