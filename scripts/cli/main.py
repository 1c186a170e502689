"""The `ultracluster` command."""

from __future__ import annotations

import argparse
import atexit
import errno
import gc
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from io import TextIOWrapper
from types import ModuleType

from scripts.cli.arguments.common import Parser, Subcommands, add_common

GC_THRESHOLD = 100_000
"""Threshold of the garbage collector: with the default, scans of imported objects are a fifth of a command's
time."""

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

EPILOG = """exit status: 0 (success), 1 (a profile has errors), 2 (wrong arguments or an unusable file)"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    gc.set_threshold(GC_THRESHOLD)
    atexit.register(gc.freeze)  # prevents another garbage collection when the interpreter exits
    # prevents pydantic from searching the metadata of every installed package for plugins
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    sys.modules.setdefault("pydantic.plugin._loader", _no_plugins())
    _usable_surroundings()
    argv = sys.argv[1:] if argv is None else argv
    options = _parser(argv).parse_args(argv)
    status = 0
    try:
        status = int(options.run(options))
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader closed the pipe
        _discard_output()
        return status
    except OSError as error:
        if error.errno not in _FULL:
            raise
        print(f"error: cannot write the output: {error.strerror}", file=sys.stderr)
        _discard_output()
        return 2


def _usable_surroundings() -> None:
    """Replace closed streams, a terminal width of 0, and a current folder that was deleted."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - stays open until the process exits
    for stream in (sys.stdout, sys.stderr):  # characters outside the terminal's encoding are replaced
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    if os.environ.get("COLUMNS") == "0":
        del os.environ["COLUMNS"]
    try:
        os.getcwd()
    except FileNotFoundError:  # built-in profiles do not need a current folder
        os.chdir("/")


def _no_plugins() -> ModuleType:
    loader = ModuleType("pydantic.plugin._loader")
    loader.__dict__["get_plugins"] = tuple
    return loader


def _discard_output() -> None:
    """Discard buffered standard output, so that the interpreter does not fail again when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(argv: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return a parser for the command in `argv`, or for all commands if `argv` has none."""
    parser = Parser(
        prog="ultracluster", description="Deploy GPU clusters on AWS from one typed profile.", epilog=EPILOG
    )
    named = [command for command in argv[:1] if command in _COMMANDS]
    if not named:  # --version is accepted only without a command
        parser.add_argument("--version", action="version", version=f"ultracluster {_version()}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in named or _COMMANDS:
        add = _COMMANDS[command] or import_module(f"scripts.cli.arguments.{command}").add
        add(commands)
    return parser


def _version() -> str:
    from importlib.metadata import version

    return version("ultracluster")


def _add_profiles(commands: Subcommands) -> None:
    profiles = commands.add_parser("profiles", help="list the built-in profiles")
    profiles.add_argument("--json", action="store_true", help="print JSON")
    profiles.set_defaults(run=_profiles)


def _add_validate(commands: Subcommands) -> None:
    validate = commands.add_parser("validate", help="check profiles, without AWS access")
    validate.add_argument(
        "profiles", nargs="+", metavar="PROFILE", help="name of a built-in profile, or a YAML file"
    )
    add_common(validate)
    validate.set_defaults(run=_validate)


def _add_explain(commands: Subcommands) -> None:
    explain = commands.add_parser("explain", help="explain a diagnostic code, with examples and its source")
    explain.add_argument("code", metavar="CODE", help="code of a diagnostic, such as LUS002")
    explain.add_argument("--json", action="store_true", help="print JSON")
    explain.set_defaults(run=_explain)


def _add_schema(commands: Subcommands) -> None:
    schema = commands.add_parser(
        "schema", help="print the JSON Schema of profiles or of a command's JSON output"
    )
    schema.add_argument(
        "--of",
        choices=("profile", "plan", "review"),
        default="profile",
        help="schema of profiles (default), or of the output of `plan --json` or `review --json`",
    )
    schema.add_argument("--json", action="store_true", help="no effect: the output is always JSON")
    schema.set_defaults(run=_schema)


def _add_cloud(commands: Subcommands) -> None:
    cloud = commands.add_parser("cloud", help="run the embedded cloud until you interrupt it")
    cloud.add_argument("--port", default=None, help="loopback port; default: a free one")
    cloud.add_argument("--account", metavar="ID", help="simulated AWS account; default: 123456789012")
    cloud.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="'KIND ...'",
        help="inject a fault, such as 'capacity type=AWS::SageMaker::Cluster times=1'; can be repeated",
    )
    cloud.add_argument(
        "--pace", metavar="N", help="simulate deployment time: N seconds on AWS take 1 s; default: no delay"
    )
    cloud.set_defaults(run=_cloud)


# each command imports only its own modules, so that validate and plan start fast


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

    values = {"--port": options.port, "--account": options.account, "--pace": options.pace}
    arguments = [part for name, value in values.items() if value is not None for part in (name, value)]
    return serve(arguments + [part for fault in options.fault for part in ("--fault", fault)])


_COMMANDS: dict[str, Callable[[Subcommands], None] | None] = {
    "profiles": _add_profiles,
    "validate": _add_validate,
    "explain": _add_explain,
    "schema": _add_schema,
    **dict.fromkeys(
        (
            "plan", "compare", "review", "preflight", "topology", "job", "images", "metrics", "pcluster",
            "drain", "rotate", "connect",
        )
    ),
    "cloud": _add_cloud,
    "teardown": None,
}  # fmt: skip
"""The function that adds each command, in the order of the help. None: `add` in the `arguments` module."""


if __name__ == "__main__":
    sys.exit(main())
