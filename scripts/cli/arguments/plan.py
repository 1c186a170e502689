"""Arguments of `ultracluster plan`."""

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
        help="show the resources, quotas and price of a cluster",
        description="Shows the resources, quotas and price of the cluster that a profile describes, and all "
        "findings. Markdown is for comments on pull requests. JSON follows `ultracluster schema --of plan`. "
        "HTML is one self-contained page with a diagram of the cluster.",
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="output format; default: text")
    parser.add_argument("--output", metavar="FILE", help="output file; default: standard output")
    parser.add_argument(
        "--proof",
        choices=("efa",),
        help="check every setting that EFA needs in the synthesized template",
    )
    parser.add_argument(
        "--template",
        action="append",
        default=[],
        metavar="PATH",
        help="with --proof: check this cdk.out folder or template instead; can be repeated",
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
    """Return an error and a hint for options that cannot be combined; None otherwise."""
    if options.template and not options.proof:
        return "--template requires --proof", "add `--proof efa`, or remove --template"
    if options.json and options.format not in ("text", "json"):
        return f"--json and --format {options.format} cannot be combined", "remove one of them"
    return None
