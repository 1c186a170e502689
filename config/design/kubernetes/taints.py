"""A group's own taints in Kubernetes notation, and the tolerations of pods that run on all nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from config.profile.kubernetes.nodes import Taint

_EFFECTS = {
    "no-schedule": "NoSchedule",
    "prefer-no-schedule": "PreferNoSchedule",
    "no-execute": "NoExecute",
}

_SOFT = "prefer-no-schedule"


def hard(taints: Iterable[Taint]) -> tuple[Taint, ...]:
    """Return the taints that keep pods off."""
    return tuple(one for one in taints if one.effect != _SOFT)


def node_taints(taints: Iterable[Taint]) -> list[dict[str, str]]:
    """Return the taints of a node."""
    return [
        {"key": one.key, **({"value": one.value} if one.value else {}), "effect": _EFFECTS[one.effect]}
        for one in taints
    ]


def tolerations(taints: Iterable[Taint]) -> tuple[Mapping[str, str], ...]:
    """Return the tolerations for these taints, each once."""
    found = {(one.key, one.value or "", _EFFECTS[one.effect]) for one in hard(taints)}
    return tuple(
        {
            "key": key,
            **({"operator": "Equal", "value": value} if value else {"operator": "Exists"}),
            "effect": effect,
        }
        for key, value, effect in sorted(found)
    )
