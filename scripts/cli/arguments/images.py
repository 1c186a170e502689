"""Arguments of `ultracluster images`."""

from __future__ import annotations

import argparse

from scripts.cli.arguments.common import Subcommands, add_command, add_common, add_place


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "images",
        _run,
        help="list node and container images, newer releases, and the effects of an update",
        description="Reads from your AWS account, and does not change the account. Prints the node image of "
        "each group, a newer image of AWS, the effects of an update, and the profile keys to change. Prints "
        "the newest image of each repository with its scan results. Queries that your credentials do not "
        'allow are reported as "not checked" and do not fail the command.',
    )
    add_place(parser, aws=True)
    parser.add_argument(
        "--policy", action="store_true", help="print the required permissions without calling AWS"
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
