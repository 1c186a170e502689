"""Generated cases in a folder, so that the benchmark measures validation without generation."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scripts.tools.fuzz.case import MAIN, Case
from scripts.tools.fuzz.cases import cases
from scripts.tools.fuzz.stored import store
from scripts.tools.fuzz.validations import CHUNK, drawn


def corpus(count: int, seed: int) -> list[Case]:
    """Return `count` different cases of all types; each has a profile file."""
    found: dict[str, Case] = {}

    def keep(case: Case) -> None:
        if case.profile == MAIN:
            found[repr(case)] = case

    while len(found) < count:
        drawn(cases(), min(CHUNK, count), seed, keep)
        seed += 1
    return [*found.values()][:count]


def main(argv: list[str] | None = None) -> int:
    """Write each case into its own folder."""
    parser = argparse.ArgumentParser(prog="corpus", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    store(corpus(options.count, options.seed), options.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
