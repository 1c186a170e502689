"""Kinds of jobs of the training frameworks, which Kueue suspends until all their nodes are free."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from config.design.kubernetes.scheduler.job_nodes import Work, job_nodes, pod
from config.profile.orchestrator import Eks
from tests.kubernetes.server.client import wait
from tests.kubernetes.server.cluster import Cluster, cluster_of
from tests.kubernetes.server.control_plane import ControlPlane
from tests.kubernetes.server.profiles import design_of, profile

Object = dict[str, Any]
Write = Callable[[str, int, Object], Object]

NAMESPACE, QUEUE = "training", {"kueue.x-k8s.io/queue-name": "default"}
RUNTIME = "whole-nodes"


@pytest.fixture(scope="module")
def frameworks(plane: ControlPlane) -> Iterator[Cluster]:
    training = {"training": ["trainer", "jobset", "leader-worker-set"]}
    with cluster_of(plane, design_of(profile(components=training))) as found:
        yield found


def _metadata(name: str) -> Object:
    return {"name": name, "namespace": NAMESPACE, "labels": QUEUE}


def jobset(name: str, count: int, pod: Object) -> Object:
    job = {"parallelism": count, "completions": count, "completionMode": "Indexed", "template": {"spec": pod}}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": _metadata(name),
        "spec": {"replicatedJobs": [{"name": "node", "replicas": 1, "template": {"spec": job}}]},
    }


def leader_worker_set(name: str, count: int, pod: Object) -> Object:
    template = {"spec": {**pod, "restartPolicy": "Always"}}
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": _metadata(name),
        "spec": {"replicas": 1, "leaderWorkerTemplate": {"size": count, "workerTemplate": template}},
    }


def train_job(name: str, count: int, pod: Object) -> Object:
    (container,) = pod["containers"]
    trainer = {
        "image": container["image"],
        "command": container["command"],
        "numNodes": count,
        "resourcesPerNode": container["resources"],
    }
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": _metadata(name),
        "spec": {"runtimeRef": {"kind": "TrainingRuntime", "name": RUNTIME}, "trainer": trainer},
    }


def runtime(pod: Object) -> Object:
    container = {**pod["containers"][0], "name": "node"}
    labelled = {"metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}}
    job = {"template": {"spec": {**pod, "containers": [container]}}}
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainingRuntime",
        "metadata": {"name": RUNTIME, "namespace": NAMESPACE},
        "spec": {
            "mlPolicy": {"numNodes": 1},
            "template": {
                "spec": {"replicatedJobs": [{"name": "node", "template": {**labelled, "spec": job}}]}
            },
        },
    }


@pytest.mark.long
@pytest.mark.parametrize("write", [jobset, leader_worker_set, train_job], ids=lambda one: str(one.__name__))
def test_a_job_of_a_framework_starts_as_a_whole_when_its_nodes_are_free(
    frameworks: Cluster, write: Write
) -> None:
    orchestrator = frameworks.design.profile.orchestrator
    assert isinstance(orchestrator, Eks)
    client = frameworks.client
    nodes = job_nodes(orchestrator, frameworks.design.groups, None)
    body = pod(nodes, Work(image="example.com/train:1", command=("train",)))
    client.apply(runtime(body))
    first, second = (
        client.create(write(name, count, body)) for name, count in (("first", 12), ("second", 8))
    )

    def running(name: str) -> int:
        found = client.list("v1", "Pod", NAMESPACE)
        return len(
            [
                one
                for one in found
                if one["metadata"]["name"].startswith(f"{name}-") and one["status"].get("phase") == "Running"
            ]
        )

    wait(lambda: running("first") == 12, "12 pods run")
    time.sleep(1)
    assert running("second") == 0
    client.delete(first)
    wait(lambda: running("second") == 8, "8 pods run")
    client.delete(second)
    wait(lambda: running("second") == 0, "no pod runs")
