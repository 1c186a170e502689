"""Arguments of `ultracluster compare`."""

from __future__ import annotations

import argparse

from scripts.cli.arguments.common import Subcommands, add_common


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "compare",
        help="compare GPUs, memory, peak rates, EFA, storage, price and fit of profiles",
        description="Prints the values of several profiles side by side and marks the best of each row. "
        "A profile with errors is not compared: the command prints the errors, and the exit status is 1.",
    )
    parser.add_argument(
        "profiles",
        nargs="+",
        metavar="PROFILE",
        help="names of built-in profiles or YAML files, at least two",
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
