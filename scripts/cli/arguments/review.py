"""`ultracluster review`."""

from __future__ import annotations

import argparse

from config.records import copied
from scripts.cli.arguments.common import Subcommands, add_common


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "review",
        help="what a change does: in place, interruption, replacement, deletion; price, quotas, permissions",
        description="What CloudFormation does when NEW is deployed over OLD, and what else differs. Each is "
        "a template, a cdk.out folder, a profile (name or YAML file), or REVISION:PATH of one of them. With "
        "--changed, OLD and NEW are git revisions, and every profile that differs between them is reviewed.",
    )
    parser.add_argument("old", metavar="OLD", help="what is deployed")
    parser.add_argument("new", metavar="NEW", help="what shall be deployed")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--profile", metavar="PATH", help="OLD and NEW are git revisions of this profile")
    which.add_argument(
        "--changed",
        action="store_true",
        help="OLD and NEW are git revisions: review every profile that differs",
    )
    parser.add_argument(
        "--under",
        action="append",
        default=[],
        metavar="PATH",
        help="with --changed: look for profiles only in this folder or file; can be given again",
    )
    parser.add_argument("--region", help="Region of templates that name none; default: us-east-1")
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    parser.add_argument("--output", metavar="FILE", help="write the report into a file")
    add_common(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from scripts.cli.review.command import Request, review

    return review(
        copied(Request, options, under=tuple(options.under), form="json" if options.json else options.format)
    )
