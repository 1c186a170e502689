"""Kubernetes as a scheduler: paused queues, cordoned nodes, running pods.

To pause the whole cluster, its queues are paused, so that pods of running jobs can restart. To pause a group
or a node, its nodes are cordoned. The previous state is stored in an annotation, and a release restores it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from config.design.kubernetes.nodes.groups import GROUP_LABEL
from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cli.rehearsal.kubernetes_api import KubernetesApi, UnreachableError

from .kubernetes_queues import HELD, QUEUES, taken
from .scheduler import OutOfReachError, RunningJob, Scope

_NODES, _PODS = "/api/v1/nodes", "/api/v1/pods"
_UNFINISHED = "?fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed"
_PER_NODE = ("DaemonSet", "Node")
"""Types of owners whose pods run on every node and do not belong to jobs."""

_JOB_LABELS = (
    # the label of a job is before those of its parts: https://jobset.sigs.k8s.io/docs/reference/,
    # https://www.kubeflow.org/docs/components/trainer/, https://kubernetes.io/docs/concepts/workloads/controllers/job/
    "jobset.sigs.k8s.io/jobset-name",
    "training.kubeflow.org/job-name",
    "volcano.sh/job-name",
    "batch.kubernetes.io/job-name",
)
_GONE, _DISRUPTION = 404, 429
_CREATED = 201

Object = Mapping[str, Any]


class KubernetesScheduler:
    """The scheduler of an EKS cluster. `computing` lists the groups that run jobs."""

    def __init__(self, api: KubernetesApi, cluster: str, region: str, computing: tuple[str, ...]) -> None:
        self._api, self._cluster, self._region, self._computing = api, cluster, region, computing

    def hold(self, scope: Scope) -> tuple[str, ...]:
        """See Scheduler."""
        done: list[str] = []
        try:
            if scope.is_everything:
                there = [(queues, list(queues.there(self._api))) for queues in QUEUES]
                for queues, found in there:
                    done += [queues.hold(self._api, one) for one in found if queues.takes(one)]
                if not any(found for queues, found in there if queues.admits):
                    done += self._cordon(Scope(groups=self._computing))
            else:
                done += self._cordon(scope)
        except UnreachableError as error:
            raise self._out_of_reach(error, scope) from None
        return tuple(done)

    def release(self, scope: Scope) -> tuple[str, ...]:
        """See Scheduler."""
        done: list[str] = []
        try:
            for queues in QUEUES if scope.is_everything else ():
                found = list(queues.there(self._api))
                done += [queues.release(self._api, one) for one in found if queues.is_ours(one)]
            for node in self._nodes(scope):
                if (node["metadata"].get("annotations") or {}).get(HELD):
                    self._patch_node(node, unschedulable=False)
                    done.append(f"node {_name(node)}")
        except UnreachableError as error:
            raise self._out_of_reach(error, scope) from None
        return tuple(done)

    def running(self, scope: Scope) -> tuple[RunningJob, ...]:
        """See Scheduler: pods are grouped by their job."""
        found: dict[tuple[str, str], set[str]] = {}
        try:
            for pod in self._pods(scope):
                found.setdefault(_job_of(pod), set()).add(pod["spec"]["nodeName"])
        except UnreachableError as error:
            raise self._out_of_reach(error, scope) from None
        return tuple(
            RunningJob(id=f"{namespace}/{name}", name=name, user=namespace, nodes=len(nodes))
            for (namespace, name), nodes in sorted(found.items())
        )

    def cancel(self, scope: Scope) -> None:
        """See Scheduler: nodes are cordoned first, so that evicted pods do not return."""
        try:
            self._cordon(Scope(groups=self._computing) if scope.is_everything else scope)
            for pod in self._pods(scope):
                metadata = pod["metadata"]
                namespace, name = metadata["namespace"], metadata["name"]
                body = {
                    "apiVersion": "policy/v1",
                    "kind": "Eviction",
                    "metadata": {"namespace": namespace, "name": name},
                }
                path = f"/api/v1/namespaces/{namespace}/pods/{name}/eviction"
                answer = self._api.request("POST", path, body)
                # a disruption budget can delay an eviction; the next poll repeats it
                taken(answer, f"{namespace}/{name} was not evicted", 200, _CREATED, _GONE, _DISRUPTION)
        except UnreachableError as error:
            raise self._out_of_reach(error, scope) from None

    def _cordon(self, scope: Scope) -> list[str]:
        nodes = [node for node in self._nodes(scope) if not node["spec"].get("unschedulable")]
        for node in nodes:
            self._patch_node(node, unschedulable=True)
        return [f"node {_name(node)}" for node in nodes]

    def _patch_node(self, node: Object, *, unschedulable: bool) -> None:
        body = {
            "metadata": {"annotations": {HELD: "cordon" if unschedulable else None}},
            "spec": {"unschedulable": True if unschedulable else None},
        }
        name = _name(node)
        taken(self._api.request("PATCH", f"{_NODES}/{name}", body), f"node {name} was not changed")

    def _nodes(self, scope: Scope) -> list[Object]:
        """Return the nodes of a scope."""
        nodes: list[Object] = taken(self._api.request("GET", _NODES), "the nodes cannot be listed")["items"]
        unknown = sorted(set(scope.nodes) - {_name(node) for node in nodes})
        if unknown:
            raise RehearsalError(f"the cluster has no node {unknown[0]}: `kubectl get nodes` lists them", 2)
        return [
            node
            for node in nodes
            if scope.is_everything
            or _name(node) in scope.nodes
            or (node["metadata"].get("labels") or {}).get(GROUP_LABEL) in scope.groups
        ]

    def _pods(self, scope: Scope) -> Iterator[Object]:
        """Yield the pods of jobs on the nodes of a scope."""
        chosen = Scope(groups=self._computing) if scope.is_everything else scope
        nodes = {_name(node) for node in self._nodes(chosen)}
        pods = taken(self._api.request("GET", f"{_PODS}{_UNFINISHED}"), "the pods cannot be listed")
        for pod in pods["items"]:
            owners = {one["kind"] for one in pod["metadata"].get("ownerReferences") or ()}
            if pod["spec"].get("nodeName") in nodes and not owners & set(_PER_NODE):
                yield pod

    def _out_of_reach(self, error: UnreachableError, scope: Scope) -> OutOfReachError:
        arguments = ["aws", "eks", "update-kubeconfig", "--region", self._region, "--name", self._cluster]
        return OutOfReachError(str(error), (shlex.join(arguments), *by_hand(scope, self._computing)))


def by_hand(scope: Scope, computing: tuple[str, ...]) -> Iterator[str]:
    """Yield the commands that pause a scope manually, and the one that lists running pods."""
    if scope.is_everything:
        for queues in QUEUES:
            yield queues.by_hand
    for group in computing if scope.is_everything else scope.groups:
        yield f"kubectl cordon -l {GROUP_LABEL}={group}"
    for node in scope.nodes:
        yield f"kubectl cordon {shlex.quote(node)}"
    yield "kubectl get pods -A -o wide"


def _job_of(pod: Object) -> tuple[str, str]:
    metadata = pod["metadata"]
    labels = metadata.get("labels") or {}
    owners = [str(one["name"]) for one in metadata.get("ownerReferences") or () if one.get("controller")]
    named = [str(labels[label]) for label in _JOB_LABELS if label in labels]
    return str(metadata["namespace"]), (named or owners or [str(metadata["name"])])[0]


def _name(one: Object) -> str:
    return str(one["metadata"]["name"])
