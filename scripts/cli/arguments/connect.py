"""`ultracluster connect`."""

from __future__ import annotations

import argparse

from config.records import copied
from scripts.cli.arguments.common import Subcommands, add_command, add_common, add_place


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "connect",
        _run,
        help="open a session on a node, a tunnel through one, or write ssh's configuration",
        description="Opens a shell on a node of a deployed cluster by Session Manager: no port of the VPC is "
        "open for it. Without NODE it is a login node, or what is nearest to one.",
    )
    parser.add_argument(
        "node", nargs="?", metavar="NODE", help="train-0, a group, an instance, or the scheduler's name"
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", dest="listed", help="show the nodes")
    what.add_argument(
        "--ssh-config", nargs="?", const="-", metavar="FILE", help="write hosts for ssh; default: print them"
    )
    what.add_argument(
        "--forward", metavar="LOCAL:REMOTE[:HOST]", help="a port here leads to one of the node, or of HOST"
    )
    what.add_argument("--grafana", action="store_true", help="the address of Grafana, or a tunnel to it")
    what.add_argument("--kubeconfig", action="store_true", help="let kubectl use the cluster")
    parser.add_argument("--context", metavar="NAME", help="kubectl's name of it; default: the profile's")
    parser.add_argument("--user", metavar="NAME", help="account for ssh; default: the image's")
    parser.add_argument(
        "--print", action="store_true", dest="printed", help="print the command and run nothing"
    )
    add_place(parser, aws=True)
    add_common(parser)


def _run(options: argparse.Namespace) -> int:
    from scripts.cli.connect.command import Options, connect

    return connect(
        options.profile,
        copied(Options, options, ssh_file=options.ssh_config, embedded=not options.aws, as_json=options.json),
    )
