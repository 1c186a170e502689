"""`ultracluster plan`."""

from __future__ import annotations

import argparse

from scripts.cli.arguments.common import Subcommands, add_command, add_common

FORMATS = ("text", "markdown", "json", "html")


def add(commands: Subcommands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "plan",
        _run,
        help="what a cluster is, needs and costs",
        description="Shows what the cluster of a profile is, needs and costs, and every finding. Markdown is "
        "for a comment on a pull request, JSON keeps to `ultracluster schema --of plan`, HTML is one page "
        "with a picture of the cluster that needs nothing beside itself.",
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.add_argument("--output", metavar="FILE", help="the file to write; default: standard output")
    parser.add_argument(
        "--proof",
        choices=("efa",),
        help="walk every link that EFA needs, in what is generated; synthesizes the profile",
    )
    parser.add_argument(
        "--template",
        action="append",
        default=[],
        metavar="PATH",
        help="with --proof: a cdk.out folder or template in the place of a synthesis; can be given again",
    )
    add_common(parser)


def _run(options: argparse.Namespace) -> int:
    if problem := _contradiction(options):
        from scripts.cli.output import refuse

        return refuse(*problem)
    form = "json" if options.json else options.format
    if options.proof:
        from scripts.cli.proof.command import show_proof

        return show_proof(
            options.profile,
            orchestrator=options.orchestrator,
            templates=options.template,
            form=form,
            output=options.output,
        )
    from scripts.cli.plan.command import show_plan

    return show_plan(options.profile, orchestrator=options.orchestrator, form=form, output=options.output)


def _contradiction(options: argparse.Namespace) -> tuple[str, str] | None:
    """Options that do not go together, and what to write instead."""
    if options.template and not options.proof:
        return "--template is for a proof", "write `--proof efa` beside it, or leave it out"
    if options.json and options.format not in ("text", "json"):
        return f"--json and --format {options.format} are two forms", "leave one of them out"
    return None
