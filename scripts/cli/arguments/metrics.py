"""`ultracluster metrics`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from scripts.cli.arguments.common import add_common

if TYPE_CHECKING:
    from scripts.cli.arguments.common import Subcommands


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "metrics",
        help="write rules, receivers, scrape settings and dashboards as files",
        description="Writes what is generated for the metrics of a profile: for a Prometheus, "
        "an Alertmanager and a Grafana of your own. Without --output it lists the files.",
    )
    parser.add_argument("profile", metavar="PROFILE", help="built-in name or YAML file")
    parser.add_argument("--output", metavar="FOLDER", help="the folder to write; files of others in it stay")
    add_common(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from scripts.cli.metrics import write_metrics

    return write_metrics(
        options.profile,
        orchestrator=options.orchestrator,
        output=options.output,
        as_json=options.json,
    )
