"""`ultracluster topology`."""

from __future__ import annotations

import argparse

from scripts.cli.arguments.common import Subcommands, positive


def add(commands: Subcommands) -> None:
    """Add the command."""
    topology = commands.add_parser(
        "topology",
        help="which nodes stand under one switch or in one UltraServer",
        description="Read what `aws ec2 describe-instance-topology` prints, and say which nodes stand "
        "together, as a table or as the file of a Slurm of your own. HyperPod and PCS write theirs.",
    )
    topology.add_argument("file", metavar="FILE", help="the answer in JSON; - reads standard input")
    topology.add_argument(
        "--names",
        metavar="FILE",
        help="what `scontrol show nodes --json` prints: Slurm's names instead of ids",
    )
    topology.add_argument(
        "--nodes", type=positive, metavar="N", help="where a job of N nodes stands together; 1 where nowhere"
    )
    topology.add_argument(
        "--slurm", metavar="VERSION", help="print topology.conf, or from 25.05 on topology.yaml"
    )
    topology.add_argument("--json", action="store_true", help="machine-readable output")
    topology.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from scripts.cli.topology import show_topology

    return show_topology(
        options.file,
        names=options.names,
        nodes=options.nodes,
        slurm_version=options.slurm,
        as_json=options.json,
    )
