"""Arguments of `ultracluster connect`."""

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
        help="open a shell or a tunnel on a node, or write an SSH configuration",
        description="Opens a shell on a node of a deployed cluster through Systems Manager Session Manager. "
        "The VPC does not need an open inbound port. Without NODE, the command chooses a login node, or else "
        "a controller or system node.",
    )
    parser.add_argument(
        "node",
        nargs="?",
        metavar="NODE",
        help="a node (train-0), a group, an instance ID, or the scheduler's node name",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", dest="listed", help="list the nodes")
    what.add_argument(
        "--ssh-config",
        nargs="?",
        const="-",
        metavar="FILE",
        help="write SSH hosts to FILE; without FILE: print them",
    )
    what.add_argument(
        "--forward",
        metavar="LOCAL:REMOTE[:HOST]",
        help="forward a local port to a port of the node, or of HOST",
    )
    what.add_argument(
        "--grafana", action="store_true", help="print the Grafana URL, or open a tunnel to Grafana"
    )
    what.add_argument("--kubeconfig", action="store_true", help="add the cluster to the kubeconfig")
    parser.add_argument("--context", metavar="NAME", help="kubectl context; default: the profile's name")
    parser.add_argument("--user", metavar="NAME", help="SSH user; default: the default user of the image")
    parser.add_argument(
        "--print", action="store_true", dest="printed", help="print the command without running it"
    )
    add_place(parser, aws=True)
    add_common(parser)


def _run(options: argparse.Namespace) -> int:
    from scripts.cli.connect.command import Options, connect

    return connect(
        options.profile,
        copied(Options, options, ssh_file=options.ssh_config, embedded=not options.aws, as_json=options.json),
    )
