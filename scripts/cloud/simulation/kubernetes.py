"""Kubernetes API of a cluster in the embedded cloud: nodes, pods, and the objects of schedulers.

The API contains the objects that deployments have applied. The API supports the requests of `ultracluster
drain`: lists, merge patches, evictions, and Volcano's commands. Other paths return "not found".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from moto.sagemaker.models import sagemaker_backends

from scripts.cloud.extensions.kubernetes.hyperpod import clusters_of
from scripts.cloud.extensions.nodes.machines import Machine, kubernetes_machines
from scripts.cloud.extensions.records import table
from scripts.cloud.extensions.simulation import Simulation, simulation
from scripts.cloud.kubernetes.clusters import contents_of
from scripts.cloud.kubernetes.contents import Contents, key_of

Answer = tuple[int, dict[str, Any]]
_LIST = re.compile(r"/apis/(?P<group>[^/]+)/(?P<version>[^/]+)/(?P<plural>[a-z]+)(?:/(?P<name>[^/]+))?")
_EVICTION = re.compile(r"/api/v1/namespaces/(?P<namespace>[^/]+)/pods/(?P<name>[^/]+)/eviction")
_NODE = re.compile(r"/api/v1/nodes/(?P<name>[^/]+)")
_COMMANDS = "/apis/bus.volcano.sh/v1alpha1/namespaces/default/commands"
_CORDONED = "ultracluster: cordoned"


class UnreachableError(Exception):
    """The API does not respond, because its address is inside the VPC."""


@dataclass(frozen=True)
class Api:
    """The API of one cluster."""

    simulation: Simulation
    account: str
    region: str
    cluster: str

    @property
    def contents(self) -> Contents:
        """Return the objects that deployments have applied to the cluster."""
        return contents_of(self.account, self.region, self.cluster)

    def answer(self, method: str, path: str, body: Mapping[str, Any] | None) -> Answer:
        """Return the response to a request. The query of `path` is ignored."""
        if self.cluster in self.simulation.private:
            raise UnreachableError(f"the API of {self.cluster} is reachable only from inside the VPC")
        self.simulation.settle()
        path = path.partition("?")[0]
        if method == "GET" and path == "/api/v1/nodes":
            return 200, {"items": [self._node(machine) for machine in self._machines()]}
        if method == "GET" and path == "/api/v1/pods":
            return 200, {"items": list(self._pods())}
        if method == "PATCH" and (found := _NODE.fullmatch(path)):
            return self._patch_node(found["name"], body or {})
        if method == "POST" and (found := _EVICTION.fullmatch(path)):
            return self._evict(found["namespace"], found["name"])
        if method == "POST" and path == _COMMANDS:
            return self._command(body or {})
        if found := _LIST.fullmatch(path):
            return self._objects(method, found, body or {})
        return 404, {"message": "the server could not find the requested resource"}

    def _machines(self) -> Iterator[Machine]:
        return kubernetes_machines(self.account, self.region, self.cluster)

    def _node(self, machine: Machine) -> dict[str, Any]:
        held = self.simulation.drained.get((self.cluster, machine.name))
        annotations = {"ultracluster/held": "cordon"} if held == _CORDONED else {}
        return {
            "metadata": {
                "name": machine.name,
                "labels": {**dict(machine.labels), "kubernetes.io/hostname": machine.name},
                "annotations": annotations,
            },
            "spec": {"unschedulable": True} if held else {},
        }

    def _patch_node(self, name: str, body: Mapping[str, Any]) -> Answer:
        machine = next((one for one in self._machines() if one.name == name), None)
        if machine is None:
            return 404, {"message": f'nodes "{name}" not found'}
        if body.get("spec", {}).get("unschedulable"):
            self.simulation.drained.setdefault((self.cluster, name), _CORDONED)
        else:
            self.simulation.drained.pop((self.cluster, name), None)
        return 200, self._node(machine)

    def _pods(self) -> Iterator[dict[str, Any]]:
        """Yield one pod for each node of a job, and one DaemonSet pod for each node of the cluster."""
        for job in self.simulation.running(self.cluster):
            for index, node in enumerate(job.nodes):
                labels = {"batch.kubernetes.io/job-name": job.name}
                yield _pod(job.namespace, f"{job.name}-{job.number}-{index}", node, "Job", job.name, labels)
        for machine in self._machines():
            yield _pod("kube-system", f"agent-{machine.name}", machine.name, "DaemonSet", "agent", {})

    def _evict(self, namespace: str, name: str) -> Answer:
        """Evict a pod and end its job, because the job cannot start again on cordoned nodes."""
        for job in self.simulation.running(self.cluster):
            if job.namespace == namespace and name.startswith(f"{job.name}-{job.number}-"):
                self.simulation.end(job)
                return 201, {}
        return 404, {"message": f'pods "{name}" not found'}

    def _objects(self, method: str, found: re.Match[str], body: Mapping[str, Any]) -> Answer:
        version = f"{found['group']}/{found['version']}"
        self._make_governed(version)
        there = {
            key[3]: one
            for key, one in self.contents.objects.items()
            if one["apiVersion"] == version and f"{one['kind'].lower()}s" == found["plural"]
        }
        if method == "GET" and not found["name"]:
            return (200, {"items": list(there.values())}) if there else (404, {"message": "not found"})
        if method == "PATCH" and found["name"] in there:
            changed = merged(there[found["name"]], body)
            self._put(changed)
            return 200, changed
        return 404, {"message": "the server could not find the requested resource"}

    def _make_governed(self, version: str) -> None:
        """Add a Kueue queue for each team's compute quota, as task governance does.

        Source:
        https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-operate-console-ui-governance-cli.html
        """
        if not version.startswith("kueue.x-k8s.io/"):
            return
        own = {one.arn for one in clusters_of(self.account, self.region) if _on(one.settings, self.cluster)}
        for quota in table(sagemaker_backends[self.account][self.region], "compute_quotas").values():
            if quota["ClusterArn"] in own:
                name = f"hyperpod-ns-{quota['ComputeQuotaTarget']['TeamName']}-clusterqueue"
                one = {
                    "apiVersion": version,
                    "kind": "ClusterQueue",
                    "metadata": {"name": name},
                    "spec": {},
                }
                self.contents.objects.setdefault(key_of(one), one)

    def _command(self, body: Mapping[str, Any]) -> Answer:
        target = body["target"]
        for key, one in list(self.contents.objects.items()):
            if one["kind"] == target["kind"] and key[3] == target["name"]:
                state = {"CloseQueue": "Closed", "OpenQueue": "Open"}[body["action"]]
                self._put({**one, "status": {"state": state}})
                return 201, dict(body)
        return 404, {"message": f'queues "{target["name"]}" not found'}

    def _put(self, one: Mapping[str, Any]) -> None:
        self.contents.objects[key_of(one)] = one
        name = (self.cluster, one["metadata"]["name"])
        (self.simulation.held_queues.add if _is_held(one) else self.simulation.held_queues.discard)(name)
        self.simulation.settle()


def _on(settings: Mapping[str, Any], eks_cluster: str) -> bool:
    orchestrator = (settings.get("Orchestrator") or {}).get("Eks")
    return orchestrator is not None and str(orchestrator["ClusterArn"]).split("/")[-1] == eks_cluster


def _is_held(one: Mapping[str, Any]) -> bool:
    if one["kind"] == "ClusterQueue":
        return bool(one["spec"].get("stopPolicy", "None") != "None")
    if one["kind"] != "Queue":
        return False
    limits = one["spec"].get("resources") or {}
    closed = (one.get("status") or {}).get("state") in ("Closed", "Closing")
    return closed or (bool(limits) and all(kind.get("limit") == 0 for kind in limits.values()))


def _pod(
    namespace: str, name: str, node: str, kind: str, owner: str, labels: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "metadata": {
            "namespace": namespace,
            "name": name,
            "labels": dict(labels),
            "ownerReferences": [{"kind": kind, "name": owner, "controller": True}],
        },
        "spec": {"nodeName": node},
        "status": {"phase": "Running"},
    }


def merged(one: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """Apply a merge patch: null removes a key (RFC 7386)."""
    result = deepcopy(dict(one))
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping):
            here = result.get(key)
            result[key] = merged(here if isinstance(here, Mapping) else {}, value)
        else:
            result[key] = value
    return result


def api_of(account: str, region: str, cluster: str) -> Api:
    """Return the API of a cluster in this process's embedded cloud."""
    return Api(simulation(), account, region, cluster)
