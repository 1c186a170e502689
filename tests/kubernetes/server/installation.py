"""The contents of a cluster on a real control plane: rendered charts and objects in the steps' order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Any

from config.catalog.kubernetes.charts import charts
from config.design.kubernetes.steps import Manifest, Release, Step, filled
from config.design.model import Design
from config.profile.orchestrator import HyperPodEks
from scripts.cloud.kubernetes.clusters import KINDS_OF_KARPENTER
from scripts.cloud.kubernetes.schemas import custom_schema
from scripts.tools.kubernetes.programs import charts_folder
from tests.kubernetes.chart_values import rendered
from tests.kubernetes.component_clusters import known
from tests.kubernetes.server.client import RejectedError, wait
from tests.kubernetes.server.control_plane import ControlPlane
from tests.kubernetes.server.managers import MANAGERS, Managers

Object = dict[str, Any]

_ELSEWHERE = ("APIService",)
"""Kinds that need a service which the API server can resolve: aggregated APIs."""
DEFINITION = "CustomResourceDefinition"
CLUSTER_SCOPED = {
    "ClusterTrainingRuntime", "EC2NodeClass", "HyperNode", "HyperpodNodeClass", "NodeClaim", "NodePool",
    "Queue", "SchedulingShard", "Topology",
}  # fmt: skip
"""Kinds without a namespace, of charts that are not in the cache; their projects' documentation says so."""


def steps_of(design: Design) -> tuple[Step, ...]:
    """Return the steps of a design's cluster."""
    assert design.eks is not None
    return design.eks.contents.steps


def ordered(steps: Sequence[Step]) -> list[Step]:
    """Return the steps in the order in which the stack can complete them."""
    named = {step.name: step for step in steps}
    graph = {step.name: [name for name in step.after if name in named] for step in steps}
    return [named[name] for name in TopologicalSorter(graph).static_order()]


@dataclass(frozen=True, kw_only=True)
class Refused:
    """An object that the server rejects, and the server's message."""

    step: str
    name: str
    message: str

    def __str__(self) -> str:
        return f"{self.step}: {self.name}: {self.message}"


class Installation:
    """Installs steps; `refused` lists what the server rejects."""

    def __init__(self, plane: ControlPlane, design: Design) -> None:
        assert design.eks is not None
        self.plane, self.kubernetes = plane, design.eks.control_plane.kubernetes_version
        self.refused: list[Refused] = []
        self.created: list[Object] = []
        self.managers = Managers(plane)
        orchestrator = design.profile.orchestrator
        scaled = isinstance(orchestrator, HyperPodEks) and orchestrator.autoscaling is not None
        self._service_kinds = KINDS_OF_KARPENTER if scaled else ()

    def install(self, steps: Sequence[Step]) -> None:
        """Install all steps, each after those that it names."""
        for kind in self._service_kinds:
            self._define(kind)
        # Kueue knows only the runtimes of the Trainer that are defined when TrainJobs are
        for step in steps:
            if isinstance(step, Release):
                self._serve(self._definitions(step))
        for step in ordered(steps):
            if isinstance(step, Release):
                self._release(step)
            elif isinstance(step, Manifest):
                for one in filled(step.objects, known):
                    self.create(one, step.name)

    def _definitions(self, release: Release) -> list[Object]:
        if not (charts_folder() / release.chart).is_dir():
            return []
        objects = rendered(release, charts_folder(), self.kubernetes)
        return [one for one in objects if one["kind"] == DEFINITION]

    def create(self, one: Object, step: str = "") -> None:
        """Create an object, or note why the server rejects it."""
        # a namespace of an earlier test may still be there
        request = self.plane.client.apply if one["kind"] == "Namespace" else self.plane.client.create
        try:
            self.created.append({**one, **request(one)})
        except RejectedError as error:
            name = f"{one['kind']} {one['metadata']['name']}"
            self.refused.append(Refused(step=step, name=name, message=str(error)))

    def _release(self, release: Release) -> None:
        folder = charts_folder()
        self._namespace(release.namespace)
        if not (folder / release.chart).is_dir():
            for kind in charts()[release.chart].brings:
                self._define(kind)
            return
        objects = rendered(release, folder, self.kubernetes)
        managed = release.chart in MANAGERS
        for one in objects:
            unanswered = one["kind"].endswith("WebhookConfiguration") and not managed
            if one["kind"] not in (DEFINITION, *_ELSEWHERE) and not unanswered:
                prepared = self.managers.prepared(one, release.chart)
                self.create(_in(prepared, release.namespace), release.name)
        if managed:
            self.managers.start(release.chart, release.namespace, objects)

    def _serve(self, definitions: Sequence[Object]) -> None:
        """Create definitions; they stay for the next installation."""
        new = [one for one in definitions if one["metadata"]["name"] not in self.plane.defined]
        for one in new:
            self._once(one)
        for one in new:
            self._wait_for(one)
            self.plane.defined.add(one["metadata"]["name"])

    def _wait_for(self, definition: Object) -> None:
        name = definition["metadata"]["name"]
        wait(lambda: _is_established(self.plane, definition), f"{name} is served")

    def _namespace(self, name: str) -> None:
        self._once({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    def _once(self, one: Object) -> None:
        """Create what every installation has alike; it stays for the next one."""
        try:
            self.plane.client.create(one)
        except RejectedError as error:
            if error.status != 409:
                raise

    def _define(self, brought: str) -> None:
        """Define a custom resource by the schema that the embedded cloud has of it."""
        api_version, kind = brought.split(" ")
        anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        schema = custom_schema(api_version, kind) or anything
        group, version = api_version.split("/")
        plural = f"{kind.lower()}s"
        wanted: Object = {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": DEFINITION,
            "metadata": {
                "name": f"{plural}.{group}",
                # only the project may use a group of k8s.io
                "annotations": {"api-approved.kubernetes.io": "https://example.com"},
            },
            "spec": {
                "group": group,
                "names": {
                    "kind": kind,
                    "plural": plural,
                    "singular": kind.lower(),
                    "listKind": f"{kind}List",
                },
                "scope": "Cluster" if kind in CLUSTER_SCOPED else "Namespaced",
                "versions": [
                    {
                        "name": version,
                        "served": True,
                        "storage": True,
                        "schema": {"openAPIV3Schema": schema},
                        "subresources": {"status": {}},
                    }
                ],
            },
        }
        self._serve([wanted])

    def remove(self) -> None:
        """Delete what was created, the last first; definitions and namespaces of charts stay."""
        client = self.plane.client
        self.managers.stop()
        for one in _webhooks_first(self.created):
            if one["kind"] != "Namespace":
                client.remove(one)


def _webhooks_first(created: Sequence[Object]) -> Iterator[Object]:
    """The objects in the order of deletion: what could reject a deletion goes first."""
    hooks = [one for one in created if one["kind"].endswith("WebhookConfiguration")]
    yield from hooks
    yield from (one for one in reversed(created) if one not in hooks)


def _in(one: Object, namespace: str) -> Object:
    """Return the object in the release's namespace, where Helm creates those that do not name one."""
    return (
        one
        if one["metadata"].get("namespace")
        else {**one, "metadata": {**one["metadata"], "namespace": namespace}}
    )


def _is_established(plane: ControlPlane, one: Object) -> bool:
    found = plane.client.get("apiextensions.k8s.io/v1", DEFINITION, one["metadata"]["name"])
    return any(
        c["type"] == "Established" and c["status"] == "True"
        for c in found.get("status", {}).get("conditions") or ()
    )
