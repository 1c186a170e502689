"""The embedded cloud accepts and rejects the objects that the real API server accepts and rejects."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, assume, given, seed, settings

from config.cluster import load_cluster
from config.design.kubernetes.steps import Manifest, filled
from config.design.model import Design
from scripts.cloud.kubernetes.clusters import KINDS_OF_KARPENTER
from scripts.cloud.kubernetes.contents import Contents, RefusedByClusterError
from scripts.cloud.kubernetes.schemas import is_own, read_pack
from scripts.tools.fuzz.profiles.clusters import clusters
from tests.conftest import ROOT
from tests.kubernetes.component_clusters import known
from tests.kubernetes.server.client import RejectedError
from tests.kubernetes.server.control_plane import ControlPlane
from tests.kubernetes.server.installation import Installation, steps_of
from tests.kubernetes.server.mutations import mutations
from tests.kubernetes.server.profiles import design_of, everything, judged

BEHAVIOURS = ROOT / "scripts" / "tools" / "docs" / "cloud_behaviours.yaml"
KINDS = frozenset(read_pack()) | frozenset(KINDS_OF_KARPENTER)

Object = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Explained:
    """Answers that may differ: which side rejects, its message, and whether the kind is a built-in one."""

    side: str
    message: str
    built_in: bool | None = None

    def fits(self, one: Object, side: str, message: str) -> bool:
        """Return whether this explains a difference."""
        return (
            side == self.side
            and self.built_in in (None, is_own(one))
            and re.search(self.message, message) is not None
        )


EXPLAINED: Mapping[str, Explained] = {
    "Kueue's webhooks": Explained(side="server", message=r'^admission webhook "\w+\.kb\.io" denied'),
    "rules in CEL of custom resources": Explained(side="server", message=r" is invalid: ", built_in=False),
    "checks in code of built-in types": Explained(side="server", message=r" is invalid: ", built_in=True),
    "values that Kueue's webhooks fill in": Explained(
        side="cloud", message=r"required property|None is not", built_in=False
    ),
}
"""Differences by their row in the page."""


@dataclass
class Compared:
    """Answers of both sides: how many agree, and the differences by explanation.

    `refused` lists what the API server rejects of the objects without a change.
    """

    accepted: int = 0
    rejected: int = 0
    refused: list[str] = field(default_factory=list)
    explained: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    differences: list[str] = field(default_factory=list)

    def add(self, what: str, one: Object, cloud: str, server: str) -> None:
        """Note two answers; an empty one accepts."""
        if bool(cloud) == bool(server):
            self.accepted += not cloud
            self.rejected += bool(cloud)
            return
        side, message = ("cloud", cloud) if cloud else ("server", server)
        text = f"{one['kind']}: {what}: only the {side} rejects: {message}"
        for name, row in EXPLAINED.items():
            if row.fits(one, side, message):
                self.explained[name].append(text)
                return
        self.differences.append(text)


def of_the_cloud(one: Object, version: str, namespaces: set[str]) -> str:
    """Why the embedded cloud rejects an object; empty if it does not."""
    try:
        Contents(version=version, namespaces=namespaces).apply(one, KINDS, create=True)
    except RefusedByClusterError as error:
        return str(error)
    return ""


def of_the_server(plane: ControlPlane, one: Object) -> str:
    """Why the API server rejects an object; empty if it does not."""
    try:
        plane.client.create(one, dry_run=True)
    except RejectedError as error:
        return str(error)
    return ""


def compared(plane: ControlPlane, design: Design, *, every: int = 1) -> Compared:
    """Compare the answers for all objects of a design, as they are and with every so many-th change."""
    assert design.eks is not None
    version = design.eks.control_plane.kubernetes_version
    installation = Installation(plane, design)
    found = Compared()
    try:
        installation.install(steps_of(design))
        found.refused += map(str, installation.refused)
        if found.refused:
            return found
        namespaces = {one["metadata"]["name"] for one in plane.client.list("v1", "Namespace")}
        for one in _absent(plane, installation, design):
            changes = [("as it is", one), *list(mutations(one))[::every]]
            for what, changed in changes:
                cloud = of_the_cloud(changed, version, set(namespaces))
                found.add(what, changed, cloud, of_the_server(plane, changed))
    finally:
        installation.remove()
    return found


def _absent(plane: ControlPlane, installation: Installation, design: Design) -> Iterator[Object]:
    """Yield each object of the steps after it was deleted; namespaces stay, since others are in them."""
    objects = [
        filled(one, known)
        for step in steps_of(design)
        if isinstance(step, Manifest)
        for one in step.objects
        if one["kind"] != "Namespace"
    ]
    for one in reversed(objects):
        plane.client.remove(one)
    yield from objects


@pytest.mark.long
@pytest.mark.parametrize("kind", ["eks", "hyperpod-eks"])
def test_the_embedded_cloud_answers_as_the_api_server(plane: ControlPlane, kind: str) -> None:
    design = load_cluster("p6-b200", orchestrator=kind).design
    assert design is not None
    found = compared(plane, design)
    assert found.refused == []
    assert found.differences == []
    assert found.accepted > 50
    assert found.rejected > 500


@pytest.mark.long
def test_every_explanation_is_needed_and_on_the_page(plane: ControlPlane) -> None:
    design = design_of(everything("eks", "kueue"))
    assert design is not None
    found = compared(plane, design)
    assert found.refused == []
    assert found.differences == []
    assert set(found.explained) == set(EXPLAINED)
    assert sorted(explanations()) == sorted(EXPLAINED)


@pytest.mark.long
@pytest.mark.timeout(900)
@seed(20261130)
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck), database=None,
          phases=[Phase.generate], report_multiple_bugs=False)  # fmt: skip
@given(data=clusters())
def test_the_objects_of_generated_profiles_have_the_same_answers(
    plane: ControlPlane, data: dict[str, Any]
) -> None:
    assume(data["orchestrator"]["kind"] in ("eks", "hyperpod-eks"))
    design, _ = judged(data)
    assume(design is not None)
    assert design is not None
    found = compared(plane, design, every=20)
    assert found.refused == []
    assert found.differences == []


def explanations() -> list[str]:
    """Return what the page says that the embedded cloud does not check."""
    rows = yaml.safe_load(BEHAVIOURS.read_text(encoding="utf-8"))
    of_objects = "Kubernetes objects: "
    return [
        row["behaviour"].removeprefix(of_objects)
        for row in rows
        if row["behaviour"].startswith(of_objects)
        and row["is"] == "not checked"
        and row["test"].endswith("test_agreement.py")
    ]
