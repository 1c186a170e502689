"""Arguments of `ultracluster pcluster`."""

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
        description="Writes the AWS ParallelCluster configuration of a profile. Unknown IDs become "
        "placeholders that contain `replaceme`. Standard error lists each "
        "placeholder with a command that finds the ID.",
    )
    parser.add_argument("--output", metavar="FILE", help="output file; default: standard output")
    parser.add_argument(
        "--subnet",
        metavar="[NAME=]ID",
        nargs="+",
        action="extend",
        default=[],
        help="subnets of the nodes; without NAME: the primary subnet",
    )
    parser.add_argument(
        "--file-system",
        metavar="[NAME=]ID",
        nargs="+",
        action="extend",
        default=[],
        help="existing Lustre file systems; without NAME: the main file system",
    )
    parser.add_argument("--home-volume", metavar="ID", help="OpenZFS volume of the home directories")
    parser.add_argument(
        "--security-group",
        metavar="ID",
        help="security group of the nodes that has access to these file systems",
    )
    parser.add_argument("--ami", metavar="ID", help="image of all nodes, built with `pcluster build-image`")
    parser.add_argument(
        "--actions", metavar="s3://BUCKET/PREFIX", help="S3 folder of job_hooks.sh, for a prolog or epilog"
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
