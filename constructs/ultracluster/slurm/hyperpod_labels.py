"""Kubernetes labels and taints of a HyperPod instance group."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

TaintEffect = Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KubernetesTaint:
    """A taint of a node: pods without a matching toleration do not run on the node.

    Attributes:
        key: The taint's key.
        effect: Effect on pods that do not tolerate the taint.
        value: The taint's value. None by default.
    """

    key: str
    effect: TaintEffect
    value: str | None = None


def kubernetes_config(labels: Mapping[str, str], taints: Sequence[KubernetesTaint]) -> dict[str, Any] | None:
    """Return the property KubernetesConfig, in a fixed order (HYPERPOD-21)."""
    if not labels and not taints:
        return None
    ordered = sorted(taints, key=lambda taint: (taint.key, taint.effect, taint.value or ""))
    return {
        "Labels": dict(sorted(labels.items())) or None,
        "Taints": [{"Key": one.key, "Value": one.value, "Effect": one.effect} for one in ordered] or None,
    }
