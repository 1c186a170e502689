"""`python -m scripts.cli.rehearsal deploy|diff|destroy --profile NAME`."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import NoReturn

from config.cluster import load_cluster
from scripts.cli.output import write_diagnostics, write_json

from .deploy import deploy
from .destroy import destroy
from .diff import diff
from .errors import RehearsalError
from .progress import say
from .session import Options
from .summary import as_text
from .toolkit import ROOT, seen_from_the_app


def main(argv: list[str] | None = None) -> int:
    """Run a command. Return 0 if it succeeds, 1 if it fails or is cancelled, 2 if it cannot be started."""
    arguments = _parser().parse_args(argv)
    signal.signal(signal.SIGTERM, _end)  # so that child processes are stopped
    options = Options(
        profile=seen_from_the_app(arguments.profile, arguments.app.resolve()),
        orchestrator=arguments.orchestrator,
        aws=arguments.aws,
        rollback=not arguments.no_rollback,
        app=arguments.app.resolve(),
    )
    if options.app == ROOT:
        status = _refused(options, as_json=arguments.json)
        if status:
            return status
    try:
        _run(arguments, options)
    except RehearsalError as error:
        say(error.with_hint())
        return error.status
    except KeyboardInterrupt:
        say("\nstopped; a deployment that has started continues in CloudFormation")
        return 1
    return 0


def _end(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def _refused(options: Options, *, as_json: bool) -> int:
    """Report the profile's errors before the command starts; return 0 if the profile has no errors."""
    cluster = load_cluster(options.profile, orchestrator=options.orchestrator)
    if cluster.design is None:
        write_diagnostics(cluster.diagnostics, stderr=True)
        if as_json:
            write_json({"diagnostics": [diagnostic.as_dict() for diagnostic in cluster.diagnostics]})
    return cluster.exit_status


def _run(arguments: argparse.Namespace, options: Options) -> None:
    if arguments.command == "deploy":
        summary = deploy(options)
        print(json.dumps(summary.to_json(), indent=2) if arguments.json else as_text(summary))
    elif arguments.command == "diff":
        diff(options)
    else:
        result = destroy(options, confirm=arguments.confirm)
        text = result.as_text(bills=options.aws)
        print(json.dumps(asdict(result), indent=2) if arguments.json else text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scripts.cli.rehearsal", description=__doc__)
    parser.add_argument("command", choices=("deploy", "diff", "destroy"))
    parser.add_argument("--profile", required=True, help="name of a built-in profile or path of a YAML file")
    parser.add_argument("--orchestrator", help="use another control plane")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object on stdout")
    parser.add_argument(
        "--aws", action="store_true", help="use your AWS account instead of the embedded cloud"
    )
    parser.add_argument(
        "--no-rollback",
        action="store_true",
        help="retain created resources after a failure; the next deployment continues from there",
    )
    parser.add_argument("--confirm", metavar="STACK", help="the stack's name: destroy without a prompt")
    parser.add_argument(
        "--app", type=Path, default=ROOT, help="folder of the CDK app (default: this repository)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
