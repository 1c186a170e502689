"""`ultracluster pcluster`."""

from __future__ import annotations

import argparse

from config.records import copied
from scripts.cli.arguments.common import Subcommands, add_command, add_common


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "pcluster",
        _run,
        help="write an AWS ParallelCluster configuration",
        description="Writes the AWS ParallelCluster configuration of a profile. Ids that nobody stated are "
        "placeholders with `replaceme` in them, and told on standard error with a command that finds them.",
    )
    parser.add_argument("--output", metavar="FILE", help="the file to write; default: standard output")
    parser.add_argument(
        "--subnet",
        metavar="[NAME=]ID",
        nargs="+",
        action="extend",
        default=[],
        help="subnets of nodes; without NAME: the primary one",
    )
    parser.add_argument(
        "--file-system",
        metavar="[NAME=]ID",
        nargs="+",
        action="extend",
        default=[],
        help="Lustre file systems that ParallelCluster does not make; without NAME: the main one",
    )
    parser.add_argument("--home-volume", metavar="ID", help="OpenZFS volume of the home directories")
    parser.add_argument(
        "--security-group", metavar="ID", help="group of the nodes that those file systems let in"
    )
    parser.add_argument("--ami", metavar="ID", help="image of all nodes, built by `pcluster build-image`")
    parser.add_argument(
        "--actions", metavar="s3://BUCKET/PREFIX", help="where job_hooks.sh is, for a prolog or epilog"
    )
    add_common(parser)


def _run(options: argparse.Namespace) -> int:
    from scripts.cli.pcluster import Options, write_pcluster

    return write_pcluster(
        options.profile,
        copied(
            Options,
            options,
            as_json=options.json,
            subnets=options.subnet,
            file_systems=options.file_system,
            image=options.ami,
        ),
    )
