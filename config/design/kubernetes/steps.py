"""What is put into a cluster, in order: charts and plain objects, each after what it needs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Object = Mapping[str, Any]
"""A Kubernetes object as its manifest says it."""

NODES = "nodes"
"""In `after`: every group of nodes is there."""

HYPERPOD = "hyperpod"
"""In `after`: the HyperPod cluster is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Objects that are applied together; `after` names the steps that have to be there before."""

    name: str
    objects: tuple[Object, ...] = field(hash=False)
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A Helm release; `chart` is the chart's name in the lock file (`catalog().charts`).

    `timeout_minutes` is Helm's own wait; the function that calls Helm has 15 minutes at most.
    """

    name: str
    chart: str
    namespace: str
    values: Mapping[str, Any] = field(hash=False)
    after: tuple[str, ...] = ()
    timeout_minutes: int = 10
    wait: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Waits until an object of somebody else's has a value: `path` in it, as `.status.availableReplicas`."""

    name: str
    kind: str
    object_name: str
    namespace: str
    path: str
    after: tuple[str, ...] = ()
    timeout_minutes: int = 10


Step = Manifest | Release | Wait

_MARK = re.compile(r"\$\{ultracluster:([a-z-]+):([A-Za-z0-9_.-]*)\}")


def later(kind: str, name: str = "") -> str:
    """A value that is known at deployment: `later("file-system-id", "main")`.

    Kinds: file-system-id, file-system-dns-name, file-system-mount-name, home-id, home-dns-name, bucket-name,
    express-bucket-name, role-arn, region, cluster-name, cluster-arn, vpc-id; of HyperPod's add-ons also
    hyperpod-cluster-arn, cluster-logs-arn, prometheus-arn, prometheus-endpoint, grafana-arn, grafana-name.
    """
    return f"${{ultracluster:{kind}:{name}}}"


def filled(value: Any, known: Callable[[str, str], str]) -> Any:
    """The value with every mark in its strings replaced by what `known(kind, name)` gives."""
    if isinstance(value, str):
        return _MARK.sub(lambda found: known(found[1], found[2]), value)
    if isinstance(value, Mapping):
        return {key: filled(item, known) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [filled(item, known) for item in value]
    return value
