"""Names, labels and annotations of Kubernetes objects, by the API server's formats.

Sources: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/,
https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/ and
https://kubernetes.io/docs/concepts/overview/working-with-objects/annotations/.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = re.compile(rf"(?=.{{1,253}}$){_LABEL}(\.{_LABEL})*")
_PART = re.compile(r"(?=.{1,63}$)[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_NAMES = {
    "Namespace": re.compile(rf"(?=.{{1,63}}$){_LABEL}"),
    # a service's name is a DNS label that starts with a letter
    "Service": re.compile(rf"(?=.{{1,63}}$)(?=[a-z]){_LABEL}"),
    # a name in RBAC is any part of a path
    **dict.fromkeys(
        ("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"), re.compile(r"(?!\.{1,2}$)[^/%]+")
    ),
}
_MAX_ANNOTATIONS = 256 * 1024


def metadata_fault(one: Mapping[str, Any]) -> str | None:
    """Return the first violation in the metadata of an object, whose types are valid; None without one."""
    return next(_faults(one["kind"], one["metadata"]), None)


def _faults(kind: str, metadata: Mapping[str, Any]) -> Iterator[str]:
    name = metadata["name"]
    if not _NAMES.get(kind, _SUBDOMAIN).fullmatch(name):
        yield f"metadata.name: Invalid value: {name!r}: the format of names of {kind} objects is different"
    for key, value in (metadata.get("labels") or {}).items():
        if not _is_qualified(key):
            yield f"metadata.labels: Invalid value: {key!r}: a label key is `name` or `prefix/name`"
        if value and not _PART.fullmatch(value):
            yield (
                f"metadata.labels: Invalid value: {value!r}: a label value has at most 63 letters, digits, "
                "hyphens, underscores and dots"
            )
    annotations = metadata.get("annotations") or {}
    for key in annotations:
        if not _is_qualified(key.lower()):
            yield f"metadata.annotations: Invalid value: {key!r}: a key is `name` or `prefix/name`"
    size = sum(len(key) + len(value or "") for key, value in annotations.items())
    if size > _MAX_ANNOTATIONS:
        yield f"metadata.annotations: Too long: {size} bytes, may not be more than {_MAX_ANNOTATIONS} bytes"


def _is_qualified(key: str) -> bool:
    prefix, slash, name = key.rpartition("/")
    return bool(_PART.fullmatch(name)) and (not slash or bool(_SUBDOMAIN.fullmatch(prefix)))
