"""The command `ultracluster`."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from scripts.cli.arguments import (
    connect,
    drain,
    images,
    job,
    metrics,
    pcluster,
    rotate,
    teardown,
    topology,
)
from scripts.cli.arguments.common import Parser, add_common

GC_THRESHOLD = 100_000
"""What imports make stays, and looking for garbage among it takes a fifth of a command."""

EPILOG = (
    """exit status: 0 nothing wrong; 1 an error in a profile; 2 the command or the file could not be used"""
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    gc.set_threshold(GC_THRESHOLD)
    for stream in (
        sys.stdout,
        sys.stderr,
    ):  # a terminal that lacks a letter shows another, and not a traceback
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    options = _parser().parse_args(argv)
    try:
        status = int(options.run(options))
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="ultracluster", description="GPU clusters on AWS from one typed profile.", epilog=EPILOG
    )
    parser.add_argument("--version", action="version", version=f"ultracluster {_version()}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    profiles = commands.add_parser("profiles", help="list the built-in profiles")
    profiles.add_argument("--json", action="store_true", help="machine-readable output")
    profiles.set_defaults(run=_profiles)

    validate = commands.add_parser("validate", help="check profiles; starts nothing, asks nobody")
    validate.add_argument("profiles", nargs="+", metavar="PROFILE", help="built-in name or YAML file")
    add_common(validate)
    validate.set_defaults(run=_validate)

    plan = commands.add_parser("plan", help="what a cluster is, needs and costs")
    plan.add_argument("profile", metavar="PROFILE", help="built-in name or YAML file")
    plan.add_argument("--format", choices=("text", "json"), default="text")
    plan.add_argument(
        "--proof",
        choices=("efa",),
        help="walk every link that EFA needs, in what is generated; synthesizes the profile",
    )
    plan.add_argument(
        "--template",
        action="append",
        default=[],
        metavar="PATH",
        help="with --proof: a cdk.out folder or template in the place of a synthesis; can be given again",
    )
    add_common(plan)
    plan.set_defaults(run=_plan)

    review = commands.add_parser(
        "review",
        help="what a change does: in place, interruption, replacement, deletion",
        description="What CloudFormation does when NEW is deployed over OLD. Each is a template, a cdk.out "
        "folder, a profile (name or YAML file), or REVISION:PATH of one of them.",
    )
    review.add_argument("old", metavar="OLD", help="what is deployed")
    review.add_argument("new", metavar="NEW", help="what shall be deployed")
    review.add_argument("--profile", metavar="PATH", help="OLD and NEW are git revisions of this profile")
    review.add_argument("--region", help="Region of templates that name none; default: us-east-1")
    review.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    add_common(review)
    review.set_defaults(run=_review)

    explain = commands.add_parser("explain", help="one diagnostic in full, with its source")
    explain.add_argument("code", metavar="CODE", help="the code of a diagnostic, such as LUS002")
    explain.add_argument("--json", action="store_true", help="machine-readable output")
    explain.set_defaults(run=_explain)

    schema = commands.add_parser("schema", help="the JSON Schema of a profile, for editors")
    schema.add_argument("--json", action="store_true", help="as it is anyway")
    schema.set_defaults(run=_schema)

    for command in (topology, job, images, metrics, pcluster, drain, rotate, connect):
        command.add(commands)

    cloud = commands.add_parser("cloud", help="run the embedded cloud until interrupted")
    cloud.add_argument("--port", default=None, help="loopback port; default: a free one")
    cloud.add_argument("--account", metavar="ID", help="the account that it plays; default: 123456789012")
    cloud.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="'KIND ...'",
        help="fail on purpose, as in 'capacity type=AWS::SageMaker::Cluster times=1'; can be given again",
    )
    cloud.add_argument("--pace", metavar="N", help="let deployments take time: N seconds of AWS in one")
    cloud.set_defaults(run=_cloud)

    teardown.add(commands)
    return parser


def _version() -> str:
    from importlib.metadata import version

    return version("ultracluster")


# each command imports what it needs: validate and plan must not pay for the others


def _profiles(options: argparse.Namespace) -> int:
    from scripts.cli.profiles import list_profiles

    return list_profiles(as_json=options.json)


def _validate(options: argparse.Namespace) -> int:
    from scripts.cli.validate import validate

    return validate(options.profiles, orchestrator=options.orchestrator, as_json=options.json)


def _plan(options: argparse.Namespace) -> int:
    as_json = options.json or options.format == "json"
    if options.proof:
        from scripts.cli.plan_proof import show_proof

        return show_proof(
            options.profile, orchestrator=options.orchestrator, templates=options.template, as_json=as_json
        )
    if options.template:
        from scripts.cli.output import write_problem

        write_problem("--template is for a proof", "write `--proof efa` beside it, or leave it out")
        return 2
    from scripts.cli.plan import show_plan

    return show_plan(options.profile, orchestrator=options.orchestrator, as_json=as_json)


def _review(options: argparse.Namespace) -> int:
    from scripts.cli.review import review

    return review(
        options.old,
        options.new,
        profile=options.profile,
        orchestrator=options.orchestrator,
        region=options.region,
        form="json" if options.json else options.format,
    )


def _explain(options: argparse.Namespace) -> int:
    from scripts.cli.explain import explain

    return explain(options.code, as_json=options.json)


def _schema(options: argparse.Namespace) -> int:
    from scripts.cli.schema import show_schema

    return show_schema()


def _cloud(options: argparse.Namespace) -> int:
    from scripts.cloud.server import main as serve

    given = {"--port": options.port, "--account": options.account, "--pace": options.pace}
    arguments = [part for name, value in given.items() if value is not None for part in (name, value)]
    return serve(arguments + [part for fault in options.fault for part in ("--fault", fault)])


if __name__ == "__main__":
    sys.exit(main())
