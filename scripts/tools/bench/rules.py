"""Time that all rules need for one profile, compared with the time to load it; prints JSON.

The profile extends a built-in profile and sets a few keys, as profiles of most users do. Loading reads the
files and returns the typed profile. Loading and the rules run in turn in one process. Other processes can
only add time, so the minimum of many rounds is the time without them.
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
    """Return the minimum seconds of loading, the minimum seconds of the rules, and the ratio of the two."""
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
