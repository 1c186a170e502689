"""`ultracluster metrics`."""

from __future__ import annotations

import argparse

from scripts.cli.arguments.common import Subcommands, add_command, add_common


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "metrics",
        _run,
        help="write rules, receivers, scrape settings and dashboards as files",
        description="Writes what is generated for the metrics of a profile: for a Prometheus, "
        "an Alertmanager and a Grafana of your own. Without --output it lists the files.",
    )
    parser.add_argument("--output", metavar="FOLDER", help="the folder to write; files of others in it stay")
    add_common(parser)


def _run(options: argparse.Namespace) -> int:
    from scripts.cli.metrics import write_metrics

    return write_metrics(
        options.profile,
        orchestrator=options.orchestrator,
        output=options.output,
        as_json=options.json,
    )
