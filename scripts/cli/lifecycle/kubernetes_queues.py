"""Queues of Kubernetes schedulers and Karpenter pools, and how each of them is paused.

- Kueue: `stopPolicy: Hold` admits no workload and does not stop running ones; HoldAndDrain would evict them
  (https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/).
- Volcano: a Command closes a queue, as `vcctl queue operate` does
  (volcano-sh/volcano:pkg/cli/queue/operate.go).
- KAI: a queue with limits of 0 gets no resources (kai-scheduler/KAI-Scheduler:docs/queues/README.md).
- Karpenter: a pool at its limits creates no nodes (https://karpenter.sh/docs/concepts/nodepools/).
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cli.rehearsal.kubernetes_api import KubernetesApi

HELD = "ultracluster/held"
"""Annotation of objects that ultracluster has paused, with the previous value as JSON."""

_NO_LIMIT = -1
_KAI_RESOURCES = ("gpu", "cpu", "memory")

Object = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Queues(ABC):
    """One type of queue. `path` is the API path of its objects, `word` is its name in messages.

    `admits` is whether queues of this type admit jobs. `by_hand` is the command that pauses a queue manually.
    `takes` returns whether a queue accepts jobs now. `is_meant` returns whether jobs are in the queue itself;
    False for a parent queue.
    """

    path: str
    word: str = "queue"
    admits: bool = True
    by_hand: str
    takes: Callable[[Object], bool]
    is_meant: Callable[[Object], bool] = lambda _: True

    def there(self, api: KubernetesApi) -> Iterator[Object]:
        """Yield the existing queues; empty if the cluster does not have this type."""
        return (one for one in listed(api, self.path) if self.is_meant(one))

    def is_ours(self, one: Object) -> bool:
        """Return whether ultracluster has paused the queue."""
        return HELD in (one["metadata"].get("annotations") or {})

    @abstractmethod
    def hold(self, api: KubernetesApi, one: Object) -> str:
        """Pause a queue; returns its name for messages."""

    @abstractmethod
    def release(self, api: KubernetesApi, one: Object) -> str:
        """Restore a queue; returns its name for messages."""

    def _patch(self, api: KubernetesApi, one: Object, note: str | None, **body: Object) -> str:
        """Change a queue; `note` is its previous value for the annotation, None removes the annotation."""
        name = one["metadata"]["name"]
        body = {"metadata": {"annotations": {HELD: note}}, **body}
        changed(api.request("PATCH", f"{self.path}/{name}", body), f"{self.word} {name}")
        return f"{self.word} {name}"


@dataclass(frozen=True, kw_only=True)
class _Patched(Queues):
    """A type of queue that is paused by a change of its spec.

    `now` returns the value before the change, `held` the change that pauses the queue, `back` the change that
    restores the queue.
    """

    now: Callable[[Object], Any]
    held: Callable[[Object], Object]
    back: Callable[[Any], Object]

    def hold(self, api: KubernetesApi, one: Object) -> str:
        """See Queues."""
        return self._patch(api, one, json.dumps(self.now(one["spec"])), spec=self.held(one["spec"]))

    def release(self, api: KubernetesApi, one: Object) -> str:
        """See Queues."""
        before = json.loads(one["metadata"]["annotations"][HELD])
        # do not undo later changes by others, such as other limits
        still = _has(one["spec"], self.held(one["spec"]))
        return self._patch(api, one, None, **({"spec": self.back(before)} if still else {}))


def _has(spec: Any, part: Object) -> bool:
    """Return whether a spec contains these values, at any depth."""
    return isinstance(spec, Mapping) and all(
        _has(spec.get(key), value) if isinstance(value, Mapping) else spec.get(key) == value
        for key, value in part.items()
    )


def _kai_takes(one: Object) -> bool:
    resources = one["spec"].get("resources") or {}
    return not resources or any(kind.get("limit", _NO_LIMIT) != 0 for kind in resources.values())


def _kai_back(before: Any) -> Object:
    if not before:  # the queue had no limits, so the limits must be removed explicitly
        return {"resources": dict.fromkeys(_KAI_RESOURCES)}
    return {"resources": {name: {"limit": limit} for name, limit in before.items()}}


class _Volcano(Queues):
    """Volcano queues: a command opens or closes them; an annotation marks queues that ultracluster closed."""

    _commands = "/apis/bus.volcano.sh/v1alpha1/namespaces/default/commands"

    def hold(self, api: KubernetesApi, one: Object) -> str:
        """See Queues."""
        # the annotation is set first: after an interruption, a release opens an open queue, which is harmless
        self._patch(api, one, json.dumps("Open"))
        return self._operate(api, one, "CloseQueue")

    def release(self, api: KubernetesApi, one: Object) -> str:
        """See Queues."""
        self._operate(api, one, "OpenQueue")
        return self._patch(api, one, None)

    def _operate(self, api: KubernetesApi, one: Object, action: str) -> str:
        name = one["metadata"]["name"]
        target = {
            "apiVersion": one["apiVersion"],
            "kind": one["kind"],
            "name": name,
            "uid": one["metadata"].get("uid", ""),
            "controller": True,
            "blockOwnerDeletion": True,
        }
        body = {
            "apiVersion": "bus.volcano.sh/v1alpha1",
            "kind": "Command",
            "metadata": {"generateName": f"{name}-{action.lower()}-", "ownerReferences": [target]},
            "target": target,
            "action": action,
        }
        changed(api.request("POST", self._commands, body), f"queue {name}")
        return f"queue {name}"


def listed(api: KubernetesApi, path: str) -> list[Object]:
    """Return the objects under a path; empty if the type does not exist."""
    status, body = api.request("GET", path)
    if status == 404:
        return []
    taken((status, body), f"{path} cannot be listed")
    # a list contains kind and version once, not in each item
    kind, version = str(body.get("kind", "")).removesuffix("List"), body.get("apiVersion")
    return [{"kind": kind, "apiVersion": version, **one} for one in body["items"]]


def changed(answer: tuple[int, Any], what: str) -> None:
    """Raise if a change failed."""
    taken(answer, f"{what} was not changed", 200, 201)


def taken(answer: tuple[int, Any], refused: str, *statuses: int) -> Any:
    """Return the body of an answer.

    Raises an error with the message `refused` if the status is not in `statuses`, which is 200 by default.
    """
    status, body = answer
    if status not in (statuses or (200,)):
        raise RehearsalError(f"{refused} ({status}): {body.get('message')}")
    return body


_MERGE = "--type=merge -p"
QUEUES: tuple[Queues, ...] = (
    _Patched(
        path="/apis/kueue.x-k8s.io/v1beta2/clusterqueues",
        word="cluster queue",
        by_hand="for q in $(kubectl get clusterqueues -o name); do kubectl patch $q "
        f"""{_MERGE} '{{"spec":{{"stopPolicy":"Hold"}}}}'; done""",
        takes=lambda one: one["spec"].get("stopPolicy", "None") == "None",
        now=lambda spec: spec.get("stopPolicy"),
        held=lambda _: {"stopPolicy": "Hold"},
        back=lambda before: {"stopPolicy": before},
    ),
    _Volcano(
        path="/apis/scheduling.volcano.sh/v1beta1/queues",
        by_hand="for q in $(kubectl get queues.scheduling.volcano.sh -o name); do "
        "vcctl queue operate -a close -n ${q#*/}; done",
        takes=lambda one: (one.get("status") or {}).get("state") not in ("Closed", "Closing"),
        is_meant=lambda one: one["metadata"]["name"] != "root",
    ),
    _Patched(
        path="/apis/scheduling.run.ai/v2/queues",
        by_hand="for q in $(kubectl get queues.scheduling.run.ai -o name); do kubectl patch $q "
        f"""{_MERGE} '{{"spec":{{"resources":{{"gpu":{{"limit":0}}}}}}}}'; done""",
        takes=_kai_takes,
        # only queues of teams; their parent queue has no pods
        is_meant=lambda one: bool(one["spec"].get("parentQueue")),
        now=lambda spec: {name: kind.get("limit") for name, kind in (spec.get("resources") or {}).items()},
        held=lambda spec: {"resources": {n: {"limit": 0} for n in spec.get("resources") or _KAI_RESOURCES}},
        back=_kai_back,
    ),
    _Patched(
        path="/apis/karpenter.sh/v1/nodepools",
        word="node pool",
        admits=False,
        by_hand="for p in $(kubectl get nodepools -o name); do kubectl patch $p "
        f"""{_MERGE} '{{"spec":{{"limits":{{"cpu":"0"}}}}}}'; done""",
        takes=lambda one: str((one["spec"].get("limits") or {}).get("cpu")) != "0",
        now=lambda spec: (spec.get("limits") or {}).get("cpu"),
        held=lambda _: {"limits": {"cpu": "0"}},
        back=lambda before: {"limits": {"cpu": before}},
    ),
)
"""All types of queues; a cluster has some of them."""
