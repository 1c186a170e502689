"""Service accounts of generated objects can do their work under the real RBAC, and nothing else."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from config.design.kubernetes.calendar import HELD_LABEL
from config.design.observability.collection.agent import NAME
from config.design.observability.collection.scrape import NAMESPACE
from scripts.tools.charts.helm import layer_binary
from tests.kubernetes.server.client import RejectedError
from tests.kubernetes.server.cluster import Cluster, cluster_of
from tests.kubernetes.server.control_plane import ControlPlane
from tests.kubernetes.server.profiles import TRAIN, design_of, profile

DATES = {"start": "2027-01-04T11:30Z", "end": "2027-01-18T11:30Z"}
BLOCK = {"kind": "capacity-block", "reservation_id": "cr-0a1b2c3d4e5f60718", **DATES}

Object = dict[str, Any]


@pytest.fixture(scope="module")
def held(plane: ControlPlane) -> Iterator[Cluster]:
    declared = {
        **profile({**TRAIN, "count": 4, "capacity": BLOCK}),
        "calendar": {"hold": True},
        "observability": {"collection": {"collector": "agent"}},
    }
    with cluster_of(plane, design_of(declared)) as found:
        yield found


def containers(one: Object) -> list[Object]:
    """The containers of a job or a scheduled job in the order in which they run."""
    spec = one["spec"].get("jobTemplate", one)["spec"]["template"]["spec"]
    return [*spec.get("initContainers", ()), *spec["containers"]]


def kubectl(plane: ControlPlane, account: Sequence[str], *arguments: str) -> str:
    """Run kubectl as a service account; return its output, and fail with its error."""
    namespace, name = account
    config = plane.kubeconfig(plane.token_of(name, namespace), name)
    command = [str(layer_binary("kubectl")), f"--kubeconfig={config}", *arguments]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode:
        raise RejectedError(finished.returncode, finished.stderr)
    return finished.stdout


def run_jobs(held: Cluster, plane: ControlPlane, kind: str) -> tuple[str, str]:
    """Run the commands of the calendar's jobs of a kind as they run in the cluster; return their account."""
    found = [one for one in held.installed(kind) if "kubectl" in str(containers(one)[0]["name"])]
    assert found
    for one in found:
        spec = one["spec"].get("jobTemplate", one)["spec"]["template"]["spec"]
        account = (one["metadata"]["namespace"], spec["serviceAccountName"])
        for container in containers(one):
            kubectl(plane, account, *container["args"])
    return account


@pytest.mark.long
def test_the_calendar_holds_nodes_and_queues_and_releases_both(held: Cluster, plane: ControlPlane) -> None:
    client = held.client
    account = run_jobs(held, plane, "CronJob")
    groups = {
        node["metadata"]["name"]: bool(node["spec"].get("unschedulable"))
        for node in client.list("v1", "Node")
    }
    assert groups == {name: name.startswith("train") for name in groups}
    (queue,) = client.list("kueue.x-k8s.io/v1beta2", "ClusterQueue")
    assert queue["spec"]["stopPolicy"] == "Hold"
    run_jobs(held, plane, "Job")
    nodes = client.list("v1", "Node")
    assert [node["metadata"]["name"] for node in nodes if node["spec"].get("unschedulable")] == []
    assert [node for node in nodes if HELD_LABEL in node["metadata"]["labels"]] == []
    assert client.list("kueue.x-k8s.io/v1beta2", "ClusterQueue")[0]["spec"]["stopPolicy"] == "None"
    for forbidden in (["delete", "node", "train-0"], ["get", "secrets", "--all-namespaces"],
                      ["delete", "clusterqueue", queue["metadata"]["name"]]):  # fmt: skip
        with pytest.raises(RejectedError, match="Forbidden"):
            kubectl(plane, account, *forbidden)


@pytest.mark.long
def test_the_collector_finds_nodes_and_pods_and_reads_no_secrets(held: Cluster, plane: ControlPlane) -> None:
    collector = plane.client.acting_as(f"system:serviceaccount:{NAMESPACE}:{NAME}", "system:serviceaccounts")
    assert len(collector.list("v1", "Node")) == 6
    collector.list("v1", "Pod")
    assert "apiserver_request_total" in collector.text("/metrics")
    with pytest.raises(RejectedError, match="cannot list resource"):
        collector.list("v1", "Secret")
