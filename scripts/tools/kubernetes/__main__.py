"""Build the programs of a Kubernetes control plane for the tests: `python -m scripts.tools.kubernetes`."""

from __future__ import annotations

import sys
import time

from .programs import ProgramsError, build, programs_folder


def main() -> int:
    """Build what the cache lacks and print their folder; return the exit status."""
    began = time.monotonic()

    def report(text: str) -> None:
        print(f"{time.monotonic() - began:5.0f} s  {text}", file=sys.stderr, flush=True)

    try:
        build(report)
        print(programs_folder())
    except ProgramsError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
