"""`python -m scripts.tools.fuzz`: generate, validate, synthesize and deploy profiles; 1 on a finding."""

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
    """The seeds at which nothing is found."""
    seeds: list[int] = yaml.safe_load(_SEEDS.read_text(encoding="utf-8"))["recorded"]
    return seeds


def main(argv: list[str] | None = None) -> int:
    """Run the recorded seeds and then a random one; the status is 1 when anything was found."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument(
        "--seed", type=int, help="this seed alone (default: the recorded ones, then a random one)"
    )
    parser.add_argument(
        "--validations", type=int, default=VALIDATIONS, help="profiles to validate from each seed"
    )
    parser.add_argument(
        "--synths", type=int, default=SYNTHS, help="accepted profiles to synthesize from each seed"
    )
    options = parser.parse_args(argv)
    seeds = [options.seed] if options.seed is not None else [*recorded_seeds(), secrets.randbelow(2**31)]
    clean = [run(seed, options.validations, options.synths) for seed in seeds]
    return 0 if all(clean) else 1


def run(seed: int, validations: int, synths: int) -> bool:
    """One seed; true when nothing was found."""
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
    """The finding in a small case, where looking for one costs no syntheses."""
    return found if any(word in found.finding.holds for word in _OF_TEMPLATES) else shrunk(found)


def _covered(tally: Tally) -> bool:
    """Tell the keys and codes that the run did not come to."""
    for key in tally.keys_never_generated:
        print(f"never generated: {key}")
    for code in tally.codes_never_reached:
        print(f"never reached: {code}, and unreached.yaml does not say why")
    for code, reason in explained().items():
        print(
            f"not reached: {code}: {reason}"
            if code not in tally.codes
            else f"reached, against unreached.yaml: {code}"
        )
    return not tally.keys_never_generated and not tally.codes_never_reached


if __name__ == "__main__":
    sys.exit(main())
