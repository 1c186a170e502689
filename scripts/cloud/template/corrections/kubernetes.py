"""Immutable fields of Kubernetes objects.

If an immutable field changes, the kubectl function applies the object, the API server rejects the change, and
the whole deployment is rolled back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scripts.cloud.template.effects import Effect
from scripts.cloud.template.functions import KNOWN_AFTER_APPLY
from scripts.cloud.template.schema import value_at

from .model import Change, Correct, Correction

OBJECT_TYPE = "Custom::AWSCDK-EKS-KubernetesResource"
_VALIDATION = "https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/validation/validation.go"
_PRIORITIES = (
    "https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/scheduling/validation/validation.go"
)
_KUEUE = "https://github.com/kubernetes-sigs/kueue/tree/main/apis/kueue/v1beta2"
_KAI = "https://github.com/kai-scheduler/KAI-Scheduler/tree/main/deployments/kai-scheduler/crds"
_POOLS = "https://karpenter.sh/docs/concepts/nodepools/"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImmutableField:
    """An immutable field.

    `set_once`: the field can be set if it has no value. `whether`: the value can change, but the field cannot
    be added or removed.
    """

    path: tuple[str, ...]
    source: str
    hint: str
    set_once: bool = False
    whether: bool = False

    def differs(self, was: Mapping[str, Any], will: Mapping[str, Any]) -> bool:
        """Return whether the two objects have different known values in the field."""
        old, new = value_at(was, self.path), value_at(will, self.path)
        if self.whether:
            return (old is None) != (new is None)
        if self.set_once and old is None:
            return False
        return bool(old != new) and KNOWN_AFTER_APPLY not in json.dumps([old, new])


_AGAIN = "remove the volume from the profile, deploy, and add it again, or use another name"
_IMMUTABLE_FIELDS: Mapping[tuple[str, str], tuple[ImmutableField, ...]] = {
    ("", "PersistentVolume"): (
        ImmutableField(path=("spec", "csi"), source=_VALIDATION, hint=_AGAIN),
        ImmutableField(path=("spec", "volumeMode"), source=_VALIDATION, hint=_AGAIN),
        ImmutableField(path=("spec", "nodeAffinity"), source=_VALIDATION, hint=_AGAIN, set_once=True),
    ),
    ("", "PersistentVolumeClaim"): (ImmutableField(path=("spec",), source=_VALIDATION, hint=_AGAIN),),
    ("scheduling.k8s.io", "PriorityClass"): (
        ImmutableField(
            path=("value",), source=_PRIORITIES, hint="use another name for the priority with the new value"
        ),
    ),
    ("kueue.x-k8s.io", "LocalQueue"): (
        ImmutableField(
            path=("spec", "clusterQueue"),
            source=_KUEUE,
            hint="keep the team's name, or set another `namespace` with the new name",
        ),
    ),
    ("kueue.x-k8s.io", "ResourceFlavor"): (
        ImmutableField(
            path=("spec", "topologyName"),
            source=_KUEUE,
            hint="create another flavor, and delete this one",
            set_once=True,
        ),
    ),
    ("kai.scheduler", "Topology"): (
        ImmutableField(path=("spec", "levels"), source=_KAI, hint="first delete the topology with kubectl"),
    ),
    ("karpenter.sh", "NodePool"): (
        ImmutableField(
            path=("spec", "replicas"),
            source=_POOLS,
            hint="use another group name for the other type of nodes (static, as-needed)",
            whether=True,
        ),
    ),
}


def _objects(change: Change) -> Iterator[Correction]:
    before, after = (_by_identity(side) for side in change.sides("Manifest"))
    for key, was in before.items():
        for field in _IMMUTABLE_FIELDS.get(key[:2], ()) if key in after else ():
            if field.differs(was, after[key]):
                reason = f"{'.'.join(field.path)} of {key[1]} {key[3]} cannot be changed"
                yield Correction(("Manifest",), Effect.REFUSED, reason, field.source, field.hint)
                return


def _by_identity(manifest: Any) -> Mapping[tuple[str, str, str, str], Mapping[str, Any]]:
    """Return a manifest's objects by group, kind, namespace and name; empty if it cannot be parsed."""
    try:
        objects = json.loads(manifest)
        return {
            (
                str(one["apiVersion"]).rpartition("/")[0],
                one["kind"],
                one["metadata"].get("namespace", ""),
                one["metadata"]["name"],
            ): one
            for one in objects
        }
    except (KeyError, TypeError, ValueError, AttributeError):
        return {}


CORRECTIONS: Mapping[str, tuple[Correct, ...]] = {OBJECT_TYPE: (_objects,)}
