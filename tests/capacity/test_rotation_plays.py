"""The deployments of `ultracluster rotate` move a group to its next reservation, on every control plane."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config.cluster import load_cluster
from scripts.cli.main import main
from scripts.cloud.local import local_cloud
from tests.cloud.living import (
    DATA,
    TERMS,
    ZONE,
    buy,
    days_from_now,
    gpu_nodes,
    profile,
    until_half_past_eleven,
)
from tests.cloud.sandbox import Sandbox, explained

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

KINDS = ("hyperpod-slurm", pytest.param("hyperpod-eks", marks=pytest.mark.long), "eks", "pcs")


@pytest.fixture
def ours(tmp_path: Path) -> Iterator[Sandbox]:
    with local_cloud() as cloud:
        sandbox = Sandbox(cloud, tmp_path)
        sandbox.deploy(DATA)
        yield sandbox


def bought(ours: Sandbox, kind: str, name: str, start: float, end: float) -> dict[str, Any]:
    """Return the `capacity` of a reservation of one week."""
    first, last = days_from_now(start), days_from_now(end)
    if kind.startswith("hyperpod"):
        arn = buy(ours.cloud, name=name, start=first, end=last, **TERMS)
        found = {"arn": arn, "availability_zone_id": ZONE}
    else:
        found = {"reservation_id": buy(ours.cloud, start=first, end=last, **TERMS)}
    return {**found, "start": f"{first[:16]}Z", "end": f"{last[:16]}Z"}


def reserved(ours: Sandbox, kind: str) -> dict[str, Any]:
    """Return a cluster with a reservation of one week, and the next week in `next`."""
    until_half_past_eleven(ours)
    this, following = bought(ours, kind, "first", 0, 7), bought(ours, kind, "second", 7, 14)
    word = "training-plan" if kind.startswith("hyperpod") else "capacity-block"
    return profile(kind, {"count": 4, "capacity": {"kind": word, **this, "next": following}})


def steps(file: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    assert main(["rotate", str(file), "--to", str(folder), "--json"]) == 0
    reported: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["steps"]
    return reported


def deploy(ours: Sandbox, file: str) -> None:
    cluster = load_cluster(file)
    assert cluster.design is not None
    stack = ours.try_deploy(cluster)
    assert stack.status == "UPDATE_COMPLETE", explained(stack)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_the_steps_of_rotate_bring_every_node_back_on_the_next_reservation(
    kind: str, ours: Sandbox, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    declared = reserved(ours, kind)
    ours.deploy(declared)
    ours.cloud.simulation.advance(1 * 3600)
    first = gpu_nodes(ours, kind)
    assert len(first) == 4
    found = steps(ours.write(declared), tmp_path / "then", capsys)
    assert [step["action"] for step in found][0 :: len(found) - 1] == ["drain", "release"]
    # the machines are gone before the end, and before the next step
    ours.cloud.simulation.advance((7 * 24 - 1.3) * 3600)
    assert gpu_nodes(ours, kind) == set()
    for step in found:
        if step["action"] == "wait":
            ours.cloud.simulation.advance(1.5 * 3600)
        elif step["action"] == "deploy":
            deploy(ours, step["file"])
    second = gpu_nodes(ours, kind)
    assert (len(second), first & second) == (4, set())
