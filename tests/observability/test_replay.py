"""Recorded events lead to the expected repairs."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from config.design.nodes.repair.policy import plan_policy
from config.profile.observability.alerts import Repair
from tests.observability.replay import read_recording, replayed, timeline

RECORDINGS = sorted((Path(__file__).parent / "recordings").glob("*.yaml"))


@pytest.mark.parametrize("file", RECORDINGS, ids=lambda file: file.stem)
def test_a_recording_is_repaired_as_it_says(file: Path) -> None:
    document = yaml.safe_load(file.read_text())
    steps = replayed(read_recording(document), plan_policy(Repair(**document["profile"])))
    reported = [line.rsplit(": ", 1)[0] for line in timeline(steps).splitlines()]
    assert reported == document["then"]


def test_every_step_says_why() -> None:
    for file in RECORDINGS:
        document = yaml.safe_load(file.read_text())
        steps = replayed(read_recording(document), plan_policy(Repair(**document["profile"])))
        assert all(step.why for step in steps)


def test_the_same_events_in_another_order_end_the_same() -> None:
    document = yaml.safe_load((RECORDINGS[0]).read_text())
    policy = plan_policy(Repair())
    backwards = {**document, "events": document["events"][::-1]}
    assert replayed(read_recording(document), policy) == replayed(read_recording(backwards), policy)
