"""The queues of Kubernetes' schedulers, and Karpenter's pools: how each is told to take nothing more.

- Kueue: `stopPolicy: Hold` admits no workload and lets those that run go on; HoldAndDrain would evict them
  (https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/).
- Volcano: a queue is closed by a Command, as `vcctl queue operate` makes it
  (volcano-sh/volcano:pkg/cli/queue/operate.go).
- KAI: a queue whose limits are 0 is allocated nothing (kai-scheduler/KAI-Scheduler:docs/queues/README.md).
- Karpenter: a pool whose limits are reached makes no nodes (https://karpenter.sh/docs/concepts/nodepools/).
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cli.rehearsal.kubernetes_api import KubernetesApi

HELD = "ultracluster/held"
"""The annotation of what is held here: what was there before, as JSON."""

_NO_LIMIT = -1
_KAI_RESOURCES = ("gpu", "cpu", "memory")

Object = Mapping[str, Any]


class Queues(Protocol):
    """One kind of queue."""

    @property
    def admits(self) -> bool:
        """Whether it is jobs that it takes in."""

    @property
    def by_hand(self) -> str:
        """What to type where the API answers."""

    def there(self, api: KubernetesApi) -> Iterator[Object]:
        """The queues that are there; none where the cluster has no such kind."""

    def takes(self, one: Object) -> bool:
        """Whether a queue takes anything now."""

    def is_ours(self, one: Object) -> bool:
        """Whether it was held here."""

    def hold(self, api: KubernetesApi, one: Object) -> str:
        """Let it take nothing; gives its name for people."""

    def release(self, api: KubernetesApi, one: Object) -> str:
        """Let it take again what it took before."""


class _Patched(ABC):
    """A kind that is held by a change of its own spec."""

    def __init__(self, path: str, word: str, *, admits: bool, by_hand: str) -> None:
        self._path, self._word, self.admits, self.by_hand = path, word, admits, by_hand

    def there(self, api: KubernetesApi) -> Iterator[Object]:
        """See Queues."""
        return (one for one in listed(api, self._path) if self.is_meant(one))

    def is_meant(self, one: Object) -> bool:
        """Whether jobs are in it: all but the parents of other queues."""
        return True

    def is_ours(self, one: Object) -> bool:
        """See Queues."""
        return HELD in (one["metadata"].get("annotations") or {})

    def hold(self, api: KubernetesApi, one: Object) -> str:
        """See Queues."""
        before = self.now(one["spec"])
        note = {"metadata": {"annotations": {HELD: json.dumps(before)}}}
        return self._patch(api, one, note | {"spec": self.held(one["spec"])})

    def release(self, api: KubernetesApi, one: Object) -> str:
        """See Queues."""
        before = json.loads(one["metadata"]["annotations"][HELD])
        note = {"metadata": {"annotations": {HELD: None}}}
        # what somebody has changed since is theirs: another policy, other limits
        still = _has(one["spec"], self.held(one["spec"]))
        return self._patch(api, one, note | ({"spec": self.back(before)} if still else {}))

    def _patch(self, api: KubernetesApi, one: Object, body: Object) -> str:
        name = one["metadata"]["name"]
        changed(api.request("PATCH", f"{self._path}/{name}", body), f"{self._word} {name}")
        return f"{self._word} {name}"

    @abstractmethod
    def now(self, spec: Object) -> Any:
        """What will be changed, as it is."""

    @abstractmethod
    def held(self, spec: Object) -> Object:
        """The change that holds it."""

    @abstractmethod
    def back(self, before: Any) -> Object:
        """The change that takes the hold back."""


def _has(spec: Any, part: Object) -> bool:
    """Whether a spec has these values, at any depth."""
    return isinstance(spec, Mapping) and all(
        _has(spec.get(key), value) if isinstance(value, Mapping) else spec.get(key) == value
        for key, value in part.items()
    )


class _Kueue(_Patched):
    def takes(self, one: Object) -> bool:
        return bool(one["spec"].get("stopPolicy", "None") == "None")

    def now(self, spec: Object) -> Any:
        return spec.get("stopPolicy")

    def held(self, spec: Object) -> Object:
        return {"stopPolicy": "Hold"}

    def back(self, before: Any) -> Object:
        return {"stopPolicy": before}


class _Kai(_Patched):
    """The queues of teams; their parent has no pods of its own."""

    def is_meant(self, one: Object) -> bool:
        return bool(one["spec"].get("parentQueue"))

    def takes(self, one: Object) -> bool:
        resources = one["spec"].get("resources") or {}
        return not resources or any(kind.get("limit", _NO_LIMIT) != 0 for kind in resources.values())

    def now(self, spec: Object) -> Any:
        return {name: kind.get("limit") for name, kind in (spec.get("resources") or {}).items()}

    def held(self, spec: Object) -> Object:
        return {"resources": {name: {"limit": 0} for name in spec.get("resources") or _KAI_RESOURCES}}

    def back(self, before: Any) -> Object:
        if not before:  # it had none, and without a word of them the limits would stay
            return {"resources": dict.fromkeys(_KAI_RESOURCES)}
        return {"resources": {name: {"limit": limit} for name, limit in before.items()}}


class _Karpenter(_Patched):
    def takes(self, one: Object) -> bool:
        return str((one["spec"].get("limits") or {}).get("cpu")) != "0"

    def now(self, spec: Object) -> Any:
        return (spec.get("limits") or {}).get("cpu")

    def held(self, spec: Object) -> Object:
        return {"limits": {"cpu": "0"}}

    def back(self, before: Any) -> Object:
        return {"limits": {"cpu": before}}


class _Volcano:
    """Queues of Volcano: they have a state, and a command changes it; the annotation tells whose it was."""

    admits = True
    by_hand = (
        "for q in $(kubectl get queues.scheduling.volcano.sh -o name); do "
        "vcctl queue operate -a close -n ${q#*/}; done"
    )
    _path = "/apis/scheduling.volcano.sh/v1beta1/queues"
    _commands = "/apis/bus.volcano.sh/v1alpha1/namespaces/default/commands"

    def there(self, api: KubernetesApi) -> Iterator[Object]:
        return (one for one in listed(api, self._path) if one["metadata"]["name"] != "root")

    def takes(self, one: Object) -> bool:
        return _state(one) not in ("Closed", "Closing")

    def is_ours(self, one: Object) -> bool:
        return HELD in (one["metadata"].get("annotations") or {})

    def hold(self, api: KubernetesApi, one: Object) -> str:
        # the note first: stopped in between, a release opens what is open
        self._note(api, one, json.dumps("Open"))
        return self._operate(api, one, "CloseQueue")

    def release(self, api: KubernetesApi, one: Object) -> str:
        done = self._operate(api, one, "OpenQueue")
        self._note(api, one, None)
        return done

    def _note(self, api: KubernetesApi, one: Object, text: str | None) -> None:
        name, body = one["metadata"]["name"], {"metadata": {"annotations": {HELD: text}}}
        changed(api.request("PATCH", f"{self._path}/{name}", body), f"queue {name}")

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


def _state(one: Object) -> str:
    return str((one.get("status") or {}).get("state", "Open"))


def listed(api: KubernetesApi, path: str) -> list[Object]:
    """The objects of a path; none where the kind is not there."""
    status, told = api.request("GET", path)
    if status == 404:
        return []
    if status != 200:
        raise RehearsalError(f"{path} is not told ({status}): {told.get('message')}")
    # a list says what it is of once, and not each item
    kind, version = str(told.get("kind", "")).removesuffix("List"), told.get("apiVersion")
    return [{"kind": kind, "apiVersion": version, **one} for one in told["items"]]


def changed(answer: tuple[int, Any], what: str) -> None:
    """Refuse where a change was."""
    status, told = answer
    if status not in (200, 201):
        raise RehearsalError(f"{what} is not changed ({status}): {told.get('message')}")


_MERGE = "--type=merge -p"
QUEUES: tuple[Queues, ...] = (
    _Kueue(
        "/apis/kueue.x-k8s.io/v1beta2/clusterqueues",
        "cluster queue",
        admits=True,
        by_hand="for q in $(kubectl get clusterqueues -o name); do kubectl patch $q "
        f"""{_MERGE} '{{"spec":{{"stopPolicy":"Hold"}}}}'; done""",
    ),
    _Volcano(),
    _Kai(
        "/apis/scheduling.run.ai/v2/queues",
        "queue",
        admits=True,
        by_hand="for q in $(kubectl get queues.scheduling.run.ai -o name); do kubectl patch $q "
        f"""{_MERGE} '{{"spec":{{"resources":{{"gpu":{{"limit":0}}}}}}}}'; done""",
    ),
    _Karpenter(
        "/apis/karpenter.sh/v1/nodepools",
        "node pool",
        admits=False,
        by_hand="for p in $(kubectl get nodepools -o name); do kubectl patch $p "
        f"""{_MERGE} '{{"spec":{{"limits":{{"cpu":"0"}}}}}}'; done""",
    ),
)
"""Every kind, whichever of them a cluster has."""
