"""Installation steps of a cluster in order: charts and plain objects, each after its prerequisites."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Object = Mapping[str, Any]
"""A Kubernetes object, as in its manifest."""

NODES = "nodes"
"""Value in `after`: all node groups exist."""

HYPERPOD = "hyperpod"
"""Value in `after`: the HyperPod cluster exists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Objects that are applied together; `after` names the steps that must be complete first."""

    name: str
    objects: tuple[Object, ...] = field(hash=False)
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A Helm release; `chart` is the chart's name in the lock file (`catalog().charts`).

    `timeout_minutes` is Helm's own timeout. The function that calls Helm can run for at most 15 minutes, and
    must have time to wait again for the roll-back of a failed upgrade (failure report EKS-12).
    """

    name: str
    chart: str
    namespace: str
    values: Mapping[str, Any] = field(hash=False)
    after: tuple[str, ...] = ()
    timeout_minutes: int = 7
    wait: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A wait until a field of an object has a value; `path` is the field, as `.status.availableReplicas`."""

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
    """Return a placeholder for a value that is known at deployment: `later("file-system-id", "main")`.

    Kinds: file-system-id, file-system-dns-name, file-system-mount-name, home-id, home-dns-name, bucket-name,
    express-bucket-name, role-arn, region, cluster-name, cluster-arn, vpc-id. Kinds for HyperPod's add-ons:
    hyperpod-cluster-arn, cluster-logs-arn, prometheus-arn, prometheus-endpoint, grafana-arn, grafana-name.
    """
    return f"${{ultracluster:{kind}:{name}}}"


def filled(value: Any, known: Callable[[str, str], str]) -> Any:
    """Return the value with each placeholder in its strings replaced by the result of `known(kind, name)`."""
    if isinstance(value, str):
        return _MARK.sub(lambda found: known(found[1], found[2]), value)
    if isinstance(value, Mapping):
        return {key: filled(item, known) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [filled(item, known) for item in value]
    return value
