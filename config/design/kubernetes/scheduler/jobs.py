"""Jobs that use all nodes of a group, in the scheduler's format; the scheduler admits a job as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from config.design.capacity.groups import GroupPlan
from config.design.kubernetes.scheduler.job_nodes import JobNodes, Work, beside, job_nodes, pod
from config.design.kubernetes.scheduler.kueue import QUEUE
from config.design.kubernetes.steps import Object
from config.profile.orchestrator import Eks, HyperPodEks


def gang_job(
    orchestrator: Eks | HyperPodEks, groups: tuple[GroupPlan, ...], work: Work, *, group: str | None = None
) -> tuple[Object, ...]:
    """Return the job for the nodes of a group, after the objects that it requires.

    The default group is the one with the most GPUs. Raises LookupError if the group or team does not exist,
    if the group has too few nodes, or if task governance creates the queues.
    """
    nodes = job_nodes(orchestrator, groups, group, team=work.team, count=work.nodes)
    make = {"kueue": _of_kueue, "volcano": _of_volcano, "kai": _of_kai}[orchestrator.scheduler]
    # Volcano's `svc` plugin creates the DNS names of the pods
    names = () if orchestrator.scheduler == "volcano" else (_names(nodes, work),)
    return (*beside(nodes, work), *names, make(nodes, work))


def _metadata(
    nodes: JobNodes,
    work: Work,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    found: dict[str, Any] = {"name": work.name, "namespace": nodes.team.namespace}
    if labels:
        found["labels"] = dict(labels)
    if annotations:
        found["annotations"] = dict(annotations)
    return found


def _names(nodes: JobNodes, work: Work) -> Object:
    """Return the service for the pods' DNS names (`JOB-0.JOB` for the first), also before a pod is ready.

    Ranks use the names to connect. Source:
    https://kubernetes.io/docs/tasks/job/job-with-pod-to-pod-communication/
    """
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _metadata(nodes, work),
        "spec": {
            "clusterIP": "None",
            "publishNotReadyAddresses": True,
            "selector": {"batch.kubernetes.io/job-name": work.name},
        },
    }


def _indexed(nodes: JobNodes, template: Mapping[str, Any], spec: Mapping[str, Any]) -> dict[str, Any]:
    count = nodes.machines.count
    return {
        "completionMode": "Indexed",
        "completions": count,
        "parallelism": count,
        "backoffLimit": count,
        "template": {"metadata": dict(template), "spec": dict(spec)},
    }


def _of_kueue(nodes: JobNodes, work: Work) -> Object:
    place = nodes.closest
    template = {"annotations": {"kueue.x-k8s.io/podset-preferred-topology": place}} if place else {}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": _metadata(nodes, work, labels={"kueue.x-k8s.io/queue-name": QUEUE}),
        "spec": {"suspend": True, **_indexed(nodes, template, {"subdomain": work.name, **pod(nodes, work)})},
    }


def _of_kai(nodes: JobNodes, work: Work) -> Object:
    place, queue = nodes.closest, {"kai.scheduler/queue": nodes.team.name}
    wanted = {"kai.scheduler/batch-min-member": str(nodes.machines.count)}
    if place:
        wanted["kai.scheduler/topology"] = nodes.machines.topology
        wanted["kai.scheduler/topology-preferred-placement"] = place
    spec = {"schedulerName": "kai-scheduler", "subdomain": work.name, **pod(nodes, work)}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": _metadata(nodes, work, labels=queue, annotations=wanted),
        "spec": _indexed(nodes, {"labels": queue}, spec),
    }


def _of_volcano(nodes: JobNodes, work: Work) -> Object:
    topology = {"networkTopology": {"mode": "soft"}} if nodes.closest else {}
    # a job that lost a pod restarts as a whole
    lost = [{"event": event, "action": "RestartJob"} for event in ("PodEvicted", "PodFailed")]
    task = {"name": "node", "replicas": nodes.machines.count, "template": {"spec": pod(nodes, work)}}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": _metadata(nodes, work),
        "spec": {
            "schedulerName": "volcano",
            "queue": nodes.team.name,
            "minAvailable": nodes.machines.count,
            **topology,
            "plugins": {"svc": [], "env": []},
            "policies": lost,
            "maxRetry": 3,
            "tasks": [task],
        },
    }
