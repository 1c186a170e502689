"""A cluster for a scenario: its contents, its nodes, and the jobs that `ultracluster job` writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from config.design.kubernetes.scheduler.job_nodes import Work
from config.design.kubernetes.scheduler.jobs import gang_job
from config.design.model import Design
from config.profile.orchestrator import Eks, HyperPodEks
from tests.kubernetes.server import devices, nodes
from tests.kubernetes.server.client import Client, wait
from tests.kubernetes.server.control_plane import ControlPlane
from tests.kubernetes.server.installation import Installation, steps_of

Object = dict[str, Any]
_KUEUE = "kueue.x-k8s.io/v1beta2"


class Cluster:
    """A cluster in operation; `design` is its design."""

    def __init__(self, design: Design, installation: Installation) -> None:
        self.design, self._installation = design, installation
        self.client: Client = installation.plane.client

    def installed(self, kind: str) -> list[Object]:
        """Return the objects of a kind that the steps created."""
        return [one for one in self._installation.created if one["kind"] == kind]

    def submit(self, name: str, *, count: int | None = None, team: str | None = None,
               priority: str = "", group: str | None = None) -> Object:  # fmt: skip
        """Submit the job that `ultracluster job` writes; return it as the server has it."""
        work = Work(name=name, image="example.com/train:1", command=("train",), team=team, nodes=count)
        kubernetes = self.design.profile.orchestrator
        assert isinstance(kubernetes, Eks | HyperPodEks)
        objects = gang_job(kubernetes, self.design.groups, work, group=group)
        for one in objects:
            whole = _with_label(one, "kueue.x-k8s.io/priority-class", priority) if priority else dict(one)
            found = self.client.create(whole)
        return {"apiVersion": objects[-1]["apiVersion"], "kind": objects[-1]["kind"], **found}

    def workload(self, job: Object) -> Object:
        """Return Kueue's workload of a job."""
        uid = job["metadata"]["uid"]
        found = self.client.list(_KUEUE, "Workload", job["metadata"]["namespace"])
        return next(
            one for one in found if any(o["uid"] == uid for o in one["metadata"].get("ownerReferences", ()))
        )

    def is_admitted(self, job: Object) -> bool:
        """Return whether Kueue has admitted a job."""
        try:
            return _is(self.workload(job), "Admitted")
        except StopIteration:
            return False

    def pods(self, job: Object) -> list[Object]:
        """Return the pods of a job that are not ending."""
        namespace, name = job["metadata"]["namespace"], job["metadata"]["name"]
        found = self.client.list("v1", "Pod", namespace, labels=f"batch.kubernetes.io/job-name={name}")
        return [
            pod
            for pod in found
            if not pod["metadata"].get("deletionTimestamp")
            and pod["status"].get("phase") not in ("Failed", "Succeeded")
        ]

    def nodes(self, job: Object) -> list[str]:
        """Return the nodes of the running pods of a job."""
        return sorted(
            pod["spec"]["nodeName"] for pod in self.pods(job) if pod["status"].get("phase") == "Running"
        )

    def running(self, job: Object, count: int, patience_s: float = 60) -> list[str]:
        """Wait until so many pods of a job run, each on its own node; return the nodes."""

        def question() -> list[str]:
            found = self.nodes(job)
            return found if len(found) == count else []

        found = wait(question, f"{count} pods of {job['metadata']['name']} run", patience_s)
        assert len(set(found)) == count
        return found

    def finish(self, job: Object, code: int = 0) -> None:
        """Let the running pods of a job end with an exit status."""
        for pod in self.pods(job):
            whole = {"apiVersion": "v1", "kind": "Pod", **pod}
            self.client.patch(whole, {"metadata": {"annotations": {"tests/finish": str(code)}}})

    def lose(self, node: str) -> None:
        """Let a node's kubelet stop to answer."""
        one = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}}
        self.client.patch(one, {"metadata": {"annotations": {nodes.LOST: "true"}}})

    def restore(self, node: str) -> None:
        """Let the kubelet of a lost node answer again."""
        one = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}}
        self.client.patch(one, {"metadata": {"annotations": {nodes.LOST: None}}})
        wait(lambda: node in nodes.ready(self.client), f"{node} is ready again")

    def taint(self, node: str, key: str, effect: str = "NoSchedule") -> None:
        """Add a taint to a node."""
        one = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}}
        found = self.client.get("v1", "Node", node)["spec"].get("taints", [])
        self.client.patch(one, {"spec": {"taints": [*found, {"key": key, "effect": effect}]}})

    def switches(self, names: list[str], layer: str) -> set[str]:
        """Return the switches of a layer above nodes."""
        found = {node["metadata"]["name"]: node for node in self.client.list("v1", "Node")}
        return {found[name]["metadata"]["labels"][layer] for name in names}

    def clear(self) -> None:
        """Delete jobs, pods, workloads and nodes."""
        jobs = self.client.list("batch/v1", "Job")
        self.client.remove_all("batch/v1", "Job")
        for namespace in {one["metadata"]["namespace"] for one in jobs}:
            self.client.remove_all("v1", "Service", namespace)
        self.client.remove_all(_KUEUE, "Workload")
        self.client.remove_all("v1", "Pod")
        self.client.remove_all("v1", "Node")


def _is(one: Mapping[str, Any], condition: str) -> bool:
    conditions = one.get("status", {}).get("conditions", ())
    return any(c["type"] == condition and c["status"] == "True" for c in conditions)


def _with_label(one: Mapping[str, Any], label: str, value: str) -> Object:
    metadata = one["metadata"]
    labels = {**metadata.get("labels", {}), **({label: value} if one["kind"] == "Job" else {})}
    return {**one, "metadata": {**metadata, "labels": labels}}


@contextmanager
def cluster_of(plane: ControlPlane, design: Design, **network: int) -> Iterator[Cluster]:
    """Install a design's cluster on the control plane with all its nodes; remove it at the end."""
    assert design.eks is not None
    installation = Installation(plane, design)
    found = Cluster(design, installation)
    try:
        nodes.add(plane.client, nodes.nodes_of(design, **network))
        devices.publish(plane.client, design)
        installation.install(steps_of(design))
        assert [str(one) for one in installation.refused] == []
        yield found
    finally:
        found.clear()
        devices.withdraw(plane.client)
        installation.remove()
