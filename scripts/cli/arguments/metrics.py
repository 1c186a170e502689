"""Arguments of `ultracluster metrics`."""

from __future__ import annotations

import argparse

from scripts.cli.arguments.common import Subcommands, add_command, add_common


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "metrics",
        _run,
        help="write alerting rules, receivers, scrape settings and dashboards as files",
        description="Writes the generated files for the metrics of a profile, to use with your own "
        "Prometheus, Alertmanager and Grafana. Without --output, the command only lists the files.",
    )
    parser.add_argument(
        "--output", metavar="FOLDER", help="folder for the files; other files in the folder are not changed"
    )
    add_common(parser)


def _run(options: argparse.Namespace) -> int:
    from scripts.cli.metrics import write_metrics

    return write_metrics(
        options.profile,
        orchestrator=options.orchestrator,
        output=options.output,
        as_json=options.json,
    )
