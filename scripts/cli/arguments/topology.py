"""Arguments of `ultracluster topology`."""

from __future__ import annotations

import argparse

from scripts.cli.arguments.common import Subcommands, positive


def add(commands: Subcommands) -> None:
    """Add the command."""
    topology = commands.add_parser(
        "topology",
        help="show which nodes share a network switch or an UltraServer",
        description="Reads the output of `aws ec2 describe-instance-topology` and shows which nodes share a "
        "network switch or an UltraServer, as a table or as a topology file for your own Slurm. HyperPod and "
        "PCS write the topology file themselves.",
    )
    topology.add_argument("file", metavar="FILE", help="JSON output of the AWS CLI; - reads standard input")
    topology.add_argument(
        "--names",
        metavar="FILE",
        help="output of `scontrol show nodes --json`, to use Slurm's node names instead of instance IDs",
    )
    topology.add_argument(
        "--nodes",
        type=positive,
        metavar="N",
        help="find a switch or UltraServer for a job of N nodes; exit status 1 if the job does not fit",
    )
    topology.add_argument(
        "--slurm", metavar="VERSION", help="print topology.conf, or topology.yaml for Slurm 25.05 or later"
    )
    topology.add_argument("--json", action="store_true", help="print JSON")
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
