"""`python -m scripts.tools.fuzz`: generate, validate, synthesize and deploy profiles.

The exit status is 1 after a finding, or if no profile reaches a key or a code.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from pathlib import Path

import yaml

from scripts.tools.fuzz.finding import Found
from scripts.tools.fuzz.shrink import shrunk
from scripts.tools.fuzz.synths import spread, synthesize_all
from scripts.tools.fuzz.tally import Tally, explained
from scripts.tools.fuzz.validations import more_accepted, validate

VALIDATIONS, SYNTHS = 10_000, 300
_SEEDS = Path(__file__).with_name("seeds.yaml")
_MOST_SHRUNK = 10
_OF_TEMPLATES = ("template", "synthesizes", "deploys")


def recorded_seeds() -> list[int]:
    """Return the recorded seeds, for which no run has a finding."""
    seeds: list[int] = yaml.safe_load(_SEEDS.read_text(encoding="utf-8"))["recorded"]
    return seeds


def main(argv: list[str] | None = None) -> int:
    """Run the recorded seeds and then a random one; return 1 if a seed has a finding."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument(
        "--seed", type=int, help="run only this seed (default: the recorded seeds, then a random seed)"
    )
    parser.add_argument(
        "--validations", type=int, default=VALIDATIONS, help="number of profiles to validate for each seed"
    )
    parser.add_argument(
        "--synths", type=int, default=SYNTHS, help="number of accepted profiles to synthesize for each seed"
    )
    options = parser.parse_args(argv)
    seeds = [options.seed] if options.seed is not None else [*recorded_seeds(), secrets.randbelow(2**31)]
    clean = [run(seed, options.validations, options.synths) for seed in seeds]
    return 0 if all(clean) else 1


def run(seed: int, validations: int, synths: int) -> bool:
    """Run one seed; return True if it has no finding and reaches each key and code."""
    print(f"seed {seed}: {validations} validations, {synths} synths", flush=True)
    began = time.monotonic()

    def progress(text: str) -> None:
        print(f"  {time.monotonic() - began:6.0f} s  {text}", flush=True)

    tally = Tally()
    validate(validations, seed, tally, progress)
    more_accepted(synths, seed, tally)
    synthesize_all(spread(tally.accepted_cases, synths), tally, progress)
    for number, found in enumerate(tally.found.values()):
        print(_smallest(found) if number < _MOST_SHRUNK else found)
    covered = _covered(tally) if validations >= VALIDATIONS else True
    print(f"seed {seed}: {tally.summary}", flush=True)
    return covered and not tally.found


def _smallest(found: Found) -> Found:
    """Return the finding with a smaller case; unchanged for a finding of a synthesis, which is slow."""
    return found if any(word in found.finding.expected for word in _OF_TEMPLATES) else shrunk(found)


def _covered(tally: Tally) -> bool:
    """Print the keys and codes that the run did not reach; return True if it reached all of them."""
    for key in tally.keys_never_generated:
        print(f"never generated: {key}")
    for code in tally.codes_never_reached:
        print(f"never reached: {code}, without a reason in unreached.yaml")
    for code, reason in explained().items():
        print(
            f"not reached: {code}: {reason}"
            if code not in tally.codes
            else f"reached, although unreached.yaml lists it: {code}"
        )
    return not tally.keys_never_generated and not tally.codes_never_reached


if __name__ == "__main__":
    sys.exit(main())
