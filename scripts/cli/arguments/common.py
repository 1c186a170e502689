"""The parser, and arguments that several commands take."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias


class Parser(argparse.ArgumentParser):
    """A parser whose errors name the way out in one line."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As the base class does; a command refuses by itself what its help does not have."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown and self._subparsers is None:
            close = _nearest(unknown[0].partition("=")[0], self._option_string_actions)
            near = f"; did you mean `{close[0]}`?" if close else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{near}")
        return found, unknown

    def error(self, message: str) -> None:  # type: ignore[override]  # exits, as the base class does
        """Print what is wrong and what to do; exit status 2."""
        known = [str(choice) for action in self._actions for choice in action.choices or ()]
        close = _nearest(message.partition("invalid choice: '")[2].partition("'")[0], known)
        did_you_mean = f"did you mean `{close[0]}`? " if close else ""
        hint = f"{did_you_mean}`{self.prog} --help` shows what can be given"
        print(f"error: {message}\n  hint: {hint}", file=sys.stderr)
        raise SystemExit(2)


def _nearest(word: str, known: Iterable[str]) -> list[str]:
    from difflib import get_close_matches  # only a mistake needs it

    return get_close_matches(word, list(known), n=1)


Subcommands: TypeAlias = "argparse._SubParsersAction[Parser]"
"""Where a command adds itself."""


def add_command(
    commands: Subcommands, name: str, run: Callable[[argparse.Namespace], int], **texts: Any
) -> Parser:
    """A command about one profile; `texts` are its help and description."""
    parser = commands.add_parser(name, **texts)
    parser.add_argument("profile", metavar="PROFILE", help="built-in name or YAML file")
    parser.set_defaults(run=run)
    return parser


def add_common(parser: argparse.ArgumentParser) -> None:
    """What every command about a profile takes."""
    parser.add_argument("--orchestrator", metavar="KIND", help="try the profile under another control plane")
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def add_place(parser: argparse.ArgumentParser, *, aws: bool) -> None:
    """Where a command about a deployed cluster asks; `aws` is what holds when neither option is given.

    Every such command takes both options, so that a script can say what it means. What only reads asks AWS by
    itself, as the AWS CLI does; what holds, ends or deletes touches AWS only where that is said.
    """
    parser.set_defaults(aws=aws)
    place = parser.add_mutually_exclusive_group()
    said = (
        ("; the default, since this changes nothing there", "")
        if aws
        else ("", "; the default, as a rehearsal")
    )
    place.add_argument(
        "--aws", action="store_true", dest="aws", default=aws, help=f"your AWS account{said[0]}"
    )
    place.add_argument(
        "--embedded",
        action="store_false",
        dest="aws",
        default=aws,
        help=f"the embedded cloud of `ultracluster cloud`{said[1]}",
    )


def positive(text: str) -> int:
    """A number of nodes, from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of nodes")
    return int(text)
