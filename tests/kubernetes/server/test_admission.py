"""What a profile installs is accepted by the real API server and the webhooks of the real Kueue."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from config.cluster import load_cluster
from config.design.kubernetes.steps import Manifest, Step
from config.design.model import Design
from tests.kubernetes.server.control_plane import ControlPlane
from tests.kubernetes.server.installation import Installation, steps_of
from tests.kubernetes.server.profiles import design_of, everything, profile
from tests.profile.built_in import accepted

KINDS = ("eks", "hyperpod-eks")


def refused(plane: ControlPlane, design: Design, steps: Sequence[Step] | None = None) -> list[str]:
    """What the server rejects of a design's steps."""
    assert design.eks is not None
    installation = Installation(plane, design)
    try:
        installation.install(steps_of(design) if steps is None else steps)
        assert installation.created
        return [str(one) for one in installation.refused]
    finally:
        installation.remove()


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_a_built_in_profile_is_accepted(plane: ControlPlane, kind: str) -> None:
    rejected = {}
    for name in [name for name, under in accepted() if under == kind]:
        design = load_cluster(name, orchestrator=kind).design
        assert design is not None
        rejected[name] = refused(plane, design)
    assert len(rejected) > 4
    assert not any(rejected.values()), rejected


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheduler", ["kueue", "volcano", "kai"])
def test_a_profile_with_everything_is_accepted(plane: ControlPlane, kind: str, scheduler: str) -> None:
    design = design_of(everything(kind, scheduler))
    assert refused(plane, design) == []


Break = Callable[[dict[str, Any]], None]


def a_queue_that_covers_a_resource_twice(queue: dict[str, Any]) -> None:
    queue["spec"]["resourceGroups"] *= 2


def a_topology_with_a_level_twice(topology: dict[str, Any]) -> None:
    topology["spec"]["levels"] *= 2


def a_role_without_verbs(role: dict[str, Any]) -> None:
    role["rules"][0]["verbs"] = []


BREAKS: list[tuple[str, Break, str]] = [
    ("ClusterQueue", a_queue_that_covers_a_resource_twice, "vclusterqueue.kb.io"),
    ("Topology", a_topology_with_a_level_twice, "spec.levels"),
    ("ClusterRole", a_role_without_verbs, "rules[0].verbs"),
]


@pytest.mark.long
@pytest.mark.parametrize(("kind", "change", "message"), BREAKS, ids=[row[1].__name__ for row in BREAKS])
def test_a_broken_object_is_rejected_by_its_name(
    plane: ControlPlane, kind: str, change: Break, message: str
) -> None:
    """A queue breaks a rule of Kueue's webhook, a topology one of its definition's, a role one of RBAC's."""
    design = design_of({**profile(), "observability": {"collection": {"collector": "agent"}}})
    steps, name = broken(steps_of(design), kind, change)
    found = refused(plane, design, steps)
    assert any(f"{kind} {name}: " in line and message in line for line in found), found


def broken(steps: Sequence[Step], kind: str, change: Break) -> tuple[list[Step], str]:
    """Return the steps with a change of the first object of a kind, and its name."""
    found, named = [], ""
    for step in steps:
        if isinstance(step, Manifest) and not named:
            objects = copy.deepcopy([dict(one) for one in step.objects])
            for one in objects:
                if one["kind"] == kind and not named:
                    change(one)
                    named = one["metadata"]["name"]
            step = replace(step, objects=tuple(objects))
        found.append(step)
    assert named, f"no object of the kind {kind}"
    return found, named
