"""The parser, and arguments that several commands share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias


class Parser(argparse.ArgumentParser):
    """A parser whose errors have a hint."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as the base class does; the error for an unknown argument suggests the nearest option."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown and self._subparsers is None:
            close = _nearest(unknown[0].partition("=")[0], self._option_string_actions)
            near = f"; did you mean `{close[0]}`?" if close else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{near}")
        return found, unknown

    def error(self, message: str) -> None:  # type: ignore[override]  # exits, as the base class does
        """Print the error and a hint, and exit with status 2."""
        known = [str(choice) for action in self._actions for choice in action.choices or ()]
        close = _nearest(message.partition("invalid choice: '")[2].partition("'")[0], known)
        did_you_mean = f"did you mean `{close[0]}`? " if close else ""
        hint = f"{did_you_mean}run `{self.prog} --help` to list the arguments"
        print(f"error: {message}\n  hint: {hint}", file=sys.stderr)
        raise SystemExit(2)


def _nearest(word: str, known: Iterable[str]) -> list[str]:
    from difflib import get_close_matches  # imported only for an error

    return get_close_matches(word, list(known), n=1)


Subcommands: TypeAlias = "argparse._SubParsersAction[Parser]"
"""The subparsers to which each command adds its parser."""


def add_command(
    commands: Subcommands, name: str, run: Callable[[argparse.Namespace], int], **texts: Any
) -> Parser:
    """Add the parser of a command that takes one profile; `texts` are the command's help and description."""
    parser = commands.add_parser(name, **texts)
    parser.add_argument("profile", metavar="PROFILE", help="name of a built-in profile, or a YAML file")
    parser.set_defaults(run=run)
    return parser


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that all commands for a profile have."""
    parser.add_argument("--orchestrator", metavar="KIND", help="use another control plane for the profile")
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_place(parser: argparse.ArgumentParser, *, aws: bool) -> None:
    """Add `--aws` and `--embedded` to a command for a deployed cluster; `aws` is the default.

    Every such command accepts both options, so that a script can be explicit. A read-only command uses AWS by
    default, as the AWS CLI does. A command that changes or deletes resources uses the embedded cloud by
    default.
    """
    parser.set_defaults(aws=aws)
    place = parser.add_mutually_exclusive_group()
    said = (" (default, because the command only reads)", "") if aws else ("", " (default, as a rehearsal)")
    place.add_argument(
        "--aws", action="store_true", dest="aws", default=aws, help=f"use your AWS account{said[0]}"
    )
    place.add_argument(
        "--embedded",
        action="store_false",
        dest="aws",
        default=aws,
        help=f"use the embedded cloud of `ultracluster cloud`{said[1]}",
    )


def positive(text: str) -> int:
    """Parse a number of nodes, which must be at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of nodes")
    return int(text)
