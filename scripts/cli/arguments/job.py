"""Arguments of `ultracluster job`."""

from __future__ import annotations

import argparse

from config.records import copied
from scripts.cli.arguments.common import Subcommands, add_command, add_common, positive


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "job",
        _run,
        help="print a Kubernetes job that uses whole nodes",
        description="Prints the manifest of a job that uses whole nodes of a Kubernetes cluster, for the "
        "scheduler of the profile. The job requests all GPUs and EFA interfaces of each node, and is placed "
        "under as few network switches as possible.",
    )
    parser.add_argument(
        "--image",
        required=True,
        help="container image with registry and tag; for a repository of the profile, NAME:TAG is enough",
    )
    parser.add_argument("--command", default="sleep infinity", help="command of each pod, in quotes")
    parser.add_argument("--name", default="train", help="name of the job; default: train")
    parser.add_argument("--group", help="compute group; default: the group with the most GPUs")
    parser.add_argument("--team", help="team whose queue and namespace the job uses; default: the first team")
    parser.add_argument("--user", metavar="NAME", help="run with the UID and GID of this user of `access`")
    parser.add_argument(
        "--nodes", type=positive, metavar="N", help="nodes of the job; default: the whole group"
    )
    parser.add_argument(
        "--account",
        metavar="NUMBER",
        help="AWS account of the registry for a short image name; default: the profile's account",
    )
    add_common(parser)


def _run(options: argparse.Namespace) -> int:
    from scripts.cli.job import Options, write_job

    return write_job(
        options.profile,
        copied(Options, options, as_json=options.json),
    )
