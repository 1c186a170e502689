"""`ultracluster compare`."""

from __future__ import annotations

import argparse

from scripts.cli.arguments.common import Subcommands, add_common


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "compare",
        help="several profiles side by side: GPUs, memory, peak, EFA, storage, price, fit",
        description="Puts the figures of several profiles side by side and marks the best of each. A profile "
        "with errors is told and left out; the exit status is then 1.",
    )
    parser.add_argument(
        "profiles", nargs="+", metavar="PROFILE", help="built-in names or YAML files, two or more"
    )
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    add_common(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from scripts.cli.compare import show_comparison

    return show_comparison(
        options.profiles,
        orchestrator=options.orchestrator,
        form="json" if options.json else options.format,
    )
