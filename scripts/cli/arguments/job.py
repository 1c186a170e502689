"""`ultracluster job`."""

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
        help="write a Kubernetes job over whole nodes",
        description="Prints a job over whole nodes of a Kubernetes cluster, as its scheduler admits it: all "
        "GPUs and EFA interfaces of each node, placed under as few switches as possible.",
    )
    parser.add_argument(
        "--image",
        required=True,
        help="what runs, with its registry and tag; one of the profile's repositories also short: train:v7",
    )
    parser.add_argument("--command", default="sleep infinity", help="what each pod runs, as one text")
    parser.add_argument("--name", default="train", help="the job's name; default: train")
    parser.add_argument("--group", help="compute group; default: the one with most GPUs")
    parser.add_argument("--team", help="whose queue and namespace; default: the first team's")
    parser.add_argument("--user", metavar="NAME", help="run with the ids of this user of `access`")
    parser.add_argument("--nodes", type=positive, metavar="N", help="default: all nodes of the group")
    parser.add_argument(
        "--account",
        metavar="NUMBER",
        help="whose registry a short image is in; default: the profile's account",
    )
    add_common(parser)


def _run(options: argparse.Namespace) -> int:
    from scripts.cli.job import Options, write_job

    return write_job(
        options.profile,
        copied(Options, options, as_json=options.json),
    )
