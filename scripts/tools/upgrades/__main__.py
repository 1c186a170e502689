"""`python -m scripts.tools.upgrades freeze REVISION --release 0.2.0`, `check`, `list`."""

from __future__ import annotations

import argparse
import sys

from .baseline import read_baseline, releases
from .freeze import FreezeError, freeze


def main(argv: list[str] | None = None) -> int:
    """Exit status 0: done, or every stack updates; 1: one does not; 2: it could not be tried."""
    arguments = _parser().parse_args(argv)
    try:
        if arguments.command == "freeze":
            file = freeze(arguments.revision, arguments.release)
            print(f"{file.name}: {file.stat().st_size} bytes")
        elif arguments.command == "check":
            from .check import check  # the embedded cloud takes a second to load

            return check(arguments.release or releases(), arguments.profile)
        else:
            for release in releases():
                baseline = read_baseline(release)
                print(f"{release}: {len(baseline.stacks)} stacks of {baseline.commit[:12]}")
    except FreezeError as error:
        print(str(error), file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scripts.tools.upgrades", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("freeze", help="keep the stacks of a release")
    make.add_argument("revision", help="tag or commit of the release")
    make.add_argument("--release", required=True, help="its version, such as 0.2.0")
    against = commands.add_parser("check", help="deploy what is kept and update it to the present code")
    against.add_argument("--release", action="append", help="one release; default: all that are kept")
    against.add_argument("--profile", help="one built-in profile; default: all")
    commands.add_parser("list", help="the releases that are kept")
    return parser


if __name__ == "__main__":
    sys.exit(main())
