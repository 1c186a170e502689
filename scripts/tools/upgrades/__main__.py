"""`python -m scripts.tools.upgrades freeze REVISION --release 0.2.0`, `check`, `list`."""

from __future__ import annotations

import argparse
import sys

from .baseline import read_baseline, releases
from .freeze import FreezeError, freeze


def main(argv: list[str] | None = None) -> int:
    """Return the exit status: 0 if every stack updates, 1 if one does not, 2 if the command cannot run."""
    arguments = _parser().parse_args(argv)
    try:
        if arguments.command == "freeze":
            file = freeze(arguments.revision, arguments.release)
            print(f"{file.name}: {file.stat().st_size} bytes")
        elif arguments.command == "check":
            from .check import check  # loading the embedded cloud needs a second

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
    make = commands.add_parser("freeze", help="write the stacks of a release to a baseline file")
    make.add_argument("revision", help="tag or commit of the release")
    make.add_argument("--release", required=True, help="version of the release, such as 0.2.0")
    against = commands.add_parser("check", help="update each baseline stack to the current code")
    against.add_argument("--release", action="append", help="one release; default: all baselines")
    against.add_argument("--profile", help="one built-in profile; default: all")
    commands.add_parser("list", help="list the baselines")
    return parser


if __name__ == "__main__":
    sys.exit(main())
