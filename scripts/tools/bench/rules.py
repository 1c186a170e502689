"""All rules over one profile, beside loading it: both in one process, in turn. Prints the least of each.

The profile is a user's: a few lines over a built-in one. Loading is from the files to the typed profile. The
least of many rounds is what each costs by itself: what other processes of the machine take only ever adds.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from config.design.build import design
from config.profile.source.loader import load
from config.rules import judge
from scripts.tools.bench.grown import with_groups

_ROUNDS = 500


def measure_rules(file: str) -> dict[str, float]:
    """Least seconds of loading a profile and of judging it, and the share that the rules take."""
    loaded = load(file)
    assert loaded.profile is not None
    designed = design(loaded.profile)
    loading, judging = [], []
    for _ in range(_ROUNDS):
        loading.append(_seconds(lambda: load(file)))
        judging.append(_seconds(lambda: judge(designed, loaded.layered)))
    took = {"load_s": min(loading), "rules_s": min(judging)}
    return {**took, "ratio": took["rules_s"] / took["load_s"]}


def _seconds(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure_rules(with_groups(Path(folder), 1))))
