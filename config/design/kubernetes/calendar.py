"""CronJobs that cordon reserved nodes before their reservation ends.

Schedulers do not know a time limit for Kubernetes jobs. The nodes of a group are therefore cordoned at the
latest time at which the longest job can still finish. This works with each scheduler: Kueue does not count
cordoned nodes in a flavor with a topology. If the reservations of all compute groups
    end, the Kueue queues are stopped too, so that jobs wait in the queue.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from config.design.capacity.groups import GroupPlan
from config.design.capacity.holds import Hold, holds_of
from config.design.kubernetes.cron import again, once
from config.design.kubernetes.model import Part
from config.design.kubernetes.nodes.groups import GROUP_LABEL
from config.design.kubernetes.scheduler.part import is_governed, shares_of
from config.design.kubernetes.steps import Manifest, Object
from config.design.names import fingerprint
from config.profile.kubernetes.base import Kubernetes
from config.profile.model import Profile

NAMESPACE = "ultracluster-calendar"
IMAGE = "registry.k8s.io/kubectl:v{version}.0"
"""kubectl image that the Kubernetes project publishes with each release; its entry point is kubectl."""

HELD_LABEL = "ultracluster/calendar"
"""Label of nodes that the calendar has cordoned."""

_NAME = "calendar"
_LABELS = {"app.kubernetes.io/managed-by": "ultracluster"}


def calendar_part(profile: Profile, kubernetes: Kubernetes, groups: Sequence[GroupPlan]) -> Part:
    """Return jobs that cordon nodes and stop queues, and the job that reverses both; empty without dates."""
    holds = holds_of(profile, groups)
    if profile.calendar is None or not holds:
        return Part()
    image = profile.calendar.kubectl_image or IMAGE.format(version=kubernetes.kubernetes_version)
    queues = held_queues(kubernetes, groups, holds)
    held = _held(holds, queues, image) if profile.calendar.hold else []
    work = [*held, _released(holds, queues, image)]
    after = ("queues",) if queues else ()
    return Part(steps=(Manifest(name="calendar", objects=(*_permitted(queues), *work), after=after),))


def held_queues(
    kubernetes: Kubernetes, groups: Sequence[GroupPlan], holds: Sequence[Hold]
) -> tuple[str, ...]:
    """Return the Kueue queues to stop at the last `hold`; empty if a compute group has no `hold`."""
    computing = {group.name for group in groups if group.role == "compute"}
    if kubernetes.scheduler != "kueue" or is_governed(kubernetes) or computing != {h.group for h in holds}:
        return ()
    return tuple(sorted(team.name for team in shares_of(kubernetes, tuple(groups)).teams))


def _held(holds: Sequence[Hold], queues: Sequence[str], image: str) -> list[Object]:
    found = [
        one
        for hold in holds
        for one in _by_the_clock(
            f"cordon-{hold.group}", hold.last_start, hold.termination, image, _cordon(hold)
        )
    ]
    if queues:
        last, end = max(hold.last_start for hold in holds), max(hold.termination for hold in holds)
        found += _by_the_clock("hold-queues", last, end, image, [_patch(queues, "Hold")])
    return found


def _cordon(hold: Hold) -> list[list[str]]:
    """Return the commands that cordon a group's nodes.

    Only nodes that are not cordoned yet get the label, and only nodes with the label are uncordoned later.
    Nodes that a user has cordoned therefore remain cordoned.
    """
    nodes = f"--selector={GROUP_LABEL}={hold.group}"
    able = "--field-selector=spec.unschedulable=false"
    return [
        ["label", "nodes", nodes, able, f"{HELD_LABEL}=held", "--overwrite"],
        ["cordon", f"{nodes},{HELD_LABEL}=held"],
    ]


def _patch(queues: Sequence[str], policy: str) -> list[str]:
    patch = f'--patch={{"spec":{{"stopPolicy":"{policy}"}}}}'
    return ["patch", "clusterqueues.kueue.x-k8s.io", *queues, "--type=merge", patch]


def _by_the_clock(
    name: str, time: datetime, end: datetime, image: str, work: Sequence[list[str]]
) -> Iterator[Object]:
    """Yield jobs for a time, and for each quarter of an hour from then until the reservation ends.

    The repetition also cordons nodes that start later, and nodes of clusters that are deployed later. A
    Kubernetes schedule has no year; the reservation ends before the schedule matches again.
    """
    yield _cron_job(name, once(time), image, work)
    for number, schedule in enumerate(again(time, end), start=1):
        yield _cron_job(f"{name}-{number}", schedule, image, work)


def _cron_job(name: str, schedule: str, image: str, work: Sequence[list[str]]) -> Object:
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name, "namespace": NAMESPACE, "labels": _LABELS},
        "spec": {
            "schedule": schedule,
            "timeZone": "Etc/UTC",
            "concurrencyPolicy": "Forbid",
            "startingDeadlineSeconds": 3600,
            "successfulJobsHistoryLimit": 1,
            "failedJobsHistoryLimit": 3,
            "jobTemplate": {"spec": _job(work, image)},
        },
    }


def _released(holds: Sequence[Hold], queues: Sequence[str], image: str) -> Object:
    """Return the job that uncordons nodes and starts queues when it is deployed; new dates create a new job.

    The job also exists if `hold` is set. Without this job, queues that were stopped for one reservation would
    remain stopped in the next reservation, and nodes of an extended reservation would remain cordoned. After
    this job, the CronJobs repeat the steps that are still due.
    """
    nodes = f"--selector={HELD_LABEL}=held"
    work = [["uncordon", nodes], ["label", "nodes", nodes, f"{HELD_LABEL}-"]]
    if queues:
        work.append(_patch(queues, "None"))
    spec = _job(work, image)
    dates = [[hold.end.isoformat(), hold.last_start.isoformat()] for hold in holds]
    name = f"release-{fingerprint([spec, dates], 8)}"
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "namespace": NAMESPACE,
            "labels": _LABELS,
        },
        "spec": spec,
    }


def _job(work: Sequence[list[str]], image: str) -> dict[str, Any]:
    """Return a job with one container for each command, which run in order."""
    *before, last = [_container(i, one, image) for i, one in enumerate(work)]
    return {
        "backoffLimit": 6,
        "template": {
            "metadata": {"labels": _LABELS},
            "spec": {
                "serviceAccountName": _NAME,
                "restartPolicy": "OnFailure",
                "automountServiceAccountToken": True,
                "securityContext": {
                    "runAsNonRoot": True,
                    "runAsUser": 65532,
                    "seccompProfile": {"type": "RuntimeDefault"},
                },
                **({"initContainers": before} if before else {}),
                "containers": [last],
            },
        },
    }


def _container(number: int, arguments: list[str], image: str) -> dict[str, Any]:
    return {
        "name": f"kubectl-{number}",
        "image": image,
        "args": arguments,
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
    }


def _permitted(queues: Sequence[str]) -> list[Object]:
    """Return a namespace with a service account that can cordon nodes and stop the named queues."""
    nodes = {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "patch"]}
    held = {
        "apiGroups": ["kueue.x-k8s.io"],
        "resources": ["clusterqueues"],
        "resourceNames": list(queues),
        "verbs": ["get", "patch"],
    }
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": NAMESPACE}
    account = {"kind": "ServiceAccount", "name": _NAME, "namespace": NAMESPACE}
    authorization = "rbac.authorization.k8s.io/v1"
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": _LABELS}},
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": _NAME, "namespace": NAMESPACE}},
        {
            "apiVersion": authorization,
            "kind": "ClusterRole",
            "metadata": {"name": NAMESPACE},
            "rules": [nodes, *([held] if queues else [])],
        },
        {
            "apiVersion": authorization,
            "kind": "ClusterRoleBinding",
            "metadata": {"name": NAMESPACE},
            "roleRef": role,
            "subjects": [account],
        },
    ]
