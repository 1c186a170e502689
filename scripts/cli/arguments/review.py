"""Arguments of `ultracluster review`."""

from __future__ import annotations

import argparse

from config.records import copied
from scripts.cli.arguments.common import Subcommands, add_common


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "review",
        help="show the effects of a change: replacements, deletions, price, quotas, permissions",
        description="Shows what CloudFormation does when NEW is deployed over OLD: updates in place, "
        "interruptions, replacements and deletions, and changes of price, quotas and "
        "permissions. OLD and NEW are each a template, a cdk.out folder or a profile (name or "
        "YAML file). REVISION:PATH selects one of these at a git revision. With --changed, OLD and NEW are "
        "git revisions, and every profile that differs is reviewed.",
    )
    parser.add_argument("old", metavar="OLD", help="the deployed version")
    parser.add_argument("new", metavar="NEW", help="the version to deploy")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--profile", metavar="PATH", help="OLD and NEW are git revisions of this profile")
    which.add_argument(
        "--changed",
        action="store_true",
        help="OLD and NEW are git revisions; review every profile that differs",
    )
    parser.add_argument(
        "--under",
        action="append",
        default=[],
        metavar="PATH",
        help="with --changed: look for profiles only in this folder or file; can be repeated",
    )
    parser.add_argument("--region", help="Region for templates without a Region; default: us-east-1")
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    parser.add_argument("--output", metavar="FILE", help="output file; default: standard output")
    add_common(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from scripts.cli.review.command import Request, review

    return review(
        copied(Request, options, under=tuple(options.under), form="json" if options.json else options.format)
    )
