"""The command `ultracluster`."""

from __future__ import annotations

import argparse
import errno
import gc
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from scripts.cli.arguments import (
    compare,
    connect,
    drain,
    images,
    job,
    metrics,
    pcluster,
    plan,
    preflight,
    review,
    rotate,
    teardown,
    topology,
)
from scripts.cli.arguments.common import Parser, add_common

GC_THRESHOLD = 100_000
"""What imports make stays, and looking for garbage among it takes a fifth of a command."""

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

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
        _discard_output()
        return 0
    except OSError as error:
        if error.errno not in _FULL:
            raise
        print(f"error: cannot write the output: {error.strerror}", file=sys.stderr)
        _discard_output()
        return 2


def _discard_output() -> None:
    """What is left of standard output goes nowhere: writing it at the end would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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

    explain = commands.add_parser("explain", help="one diagnostic in full, with its source")
    explain.add_argument("code", metavar="CODE", help="the code of a diagnostic, such as LUS002")
    explain.add_argument("--json", action="store_true", help="machine-readable output")
    explain.set_defaults(run=_explain)

    schema = commands.add_parser("schema", help="the JSON Schema of a profile, for editors, or of an output")
    schema.add_argument(
        "--of",
        choices=("profile", "plan", "review"),
        default="profile",
        help="what it is of: a profile (the default), or what `plan --json` or `review --json` prints",
    )
    schema.add_argument("--json", action="store_true", help="as it is anyway")
    schema.set_defaults(run=_schema)

    for command in (
        plan, compare, review, preflight, topology, job, images, metrics, pcluster, drain, rotate, connect,
    ):  # fmt: skip
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


def _explain(options: argparse.Namespace) -> int:
    from scripts.cli.explain import explain

    return explain(options.code, as_json=options.json)


def _schema(options: argparse.Namespace) -> int:
    from scripts.cli.schema import show_schema

    return show_schema(options.of)


def _cloud(options: argparse.Namespace) -> int:
    from scripts.cloud.server import main as serve

    given = {"--port": options.port, "--account": options.account, "--pace": options.pace}
    arguments = [part for name, value in given.items() if value is not None for part in (name, value)]
    return serve(arguments + [part for fault in options.fault for part in ("--fault", fault)])


if __name__ == "__main__":
    sys.exit(main())
