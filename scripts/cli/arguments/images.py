"""`ultracluster images`."""

from __future__ import annotations

import argparse

from scripts.cli.arguments.common import Subcommands, add_command, add_common, add_place


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "images",
        _run,
        help="what images nodes have, whether newer ones exist, and what rolling to them does",
        description="Asks the account of your credentials, and changes nothing: the image of each group's "
        "nodes, whether AWS has a newer one, what rolling to it would do and what to write for it; the "
        "newest image of each repository, and what its scan has found. What may not be asked is told, and "
        "fails nothing.",
    )
    add_place(parser, aws=True)
    parser.add_argument(
        "--policy", action="store_true", help="print the permissions that it takes, and ask nobody"
    )
    add_common(parser)


def _run(options: argparse.Namespace) -> int:
    from scripts.cli.images.command import show_images

    return show_images(
        options.profile,
        orchestrator=options.orchestrator,
        embedded=not options.aws,
        policy=options.policy,
        as_json=options.json,
    )
