"""Validate Kubernetes objects with the schemas of their Kubernetes version and of custom resources.

The schemas of Kubernetes are those of kubernetes-validate, which is part of the development environment.
Without kubernetes-validate, built-in objects are not validated. Schemas of custom resources are packed in
`data/`; the lock file in `data/` lists the project, commit and date of each schema. Kinds and versions that
are not in the pack are not validated.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .metadata import metadata_fault

Object = Mapping[str, Any]

_QUANTITY = r"^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$"

PACK = Path(__file__).resolve().parent / "data" / "crds.json.xz"
LOCK = PACK.with_name("crds.lock.json")
# groups of built-in kinds have no dot, or end with k8s.io names that custom resources cannot use:
# https://kubernetes.io/docs/reference/kubernetes-api/
_OWN = frozenset(
    f"{name}.k8s.io"
    for name in (
        "admissionregistration", "apiextensions", "apiregistration", "authentication", "authorization",
        "certificates", "coordination", "discovery", "events", "flowcontrol.apiserver", "internal.apiserver",
        "networking", "node", "rbac.authorization", "resource", "scheduling", "storage",
    )
)  # fmt: skip


def group_of(one: Object) -> str:
    """Return the API group of an object; empty for the core group."""
    return str(one["apiVersion"]).rpartition("/")[0]


def is_own(one: Object) -> bool:
    """Return whether the kind is built into Kubernetes, and is not a custom resource."""
    group = group_of(one)
    return "." not in group or group in _OWN


def read_pack(pack: Path = PACK) -> Mapping[str, Any]:
    """Return the schemas of a pack, by API version and kind: `kueue.x-k8s.io/v1beta2 Cohort`."""
    found: Mapping[str, Any] = json.loads(lzma.decompress(pack.read_bytes()))
    return found


@cache
def _schemas() -> Mapping[str, Any]:
    return read_pack()


def custom_schema(api_version: str, kind: str) -> Mapping[str, Any] | None:
    """Return the schema of a custom resource; None if the kind is not validated."""
    return _schemas().get(f"{api_version} {kind}")


def fault_of(one: Object, version: str) -> str | None:
    """Return the schema violation of an object; None if it is valid or has no schema.

    Raises:
        LookupError: this Kubernetes version does not have the kind.
    """
    knows = find_spec("kubernetes_validate") is not None
    if is_own(one):
        validator = _own_validator(version, one["kind"], one["apiVersion"]) if knows else None
        # JSON's null is no value for the API server's types
        checked = [(validator, _without_nulls(one))]
    else:
        custom = _custom_validator(one["apiVersion"], one["kind"])
        checked = [(custom, one), (_metadata_validator(version) if knows else None, _without_nulls(one))]
    for found, value in checked:
        error = next(iter(found.iter_errors(value)), None) if found else None
        if error is not None:
            place = ".".join(str(part) for part in error.absolute_path)
            return f"{place}: {error.message}" if place else str(error.message)
    return metadata_fault(one) if knows else None


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value


@lru_cache(maxsize=512)
def _own_validator(version: str, kind: str, api_version: str) -> Any:
    """Return a cached validator with kubernetes-validate's schema.

    kubernetes-validate itself would read all definitions for each object.
    """
    from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # has no types
    from kubernetes_validate.utils import schema_contents
    from referencing import Registry, Resource

    folder = _folder(version)
    name = re.sub(r"^([^./]*)(?:\.[^/]*)?/", r"\1-", api_version)
    try:
        schema = schema_contents(f"{folder}/{kind.lower()}-{name}.json", version)
    except FileNotFoundError as error:
        raise LookupError(f"{kind} {api_version}") from error
    registry: Any = Resource.from_contents(schema) @ Registry()
    return Draft202012Validator(schema, registry=_definitions(folder, version) @ registry)


@lru_cache(maxsize=8)
def _metadata_validator(version: str) -> Any:
    """Return the validator of the metadata of a custom resource, which its own schema does not describe."""
    from jsonschema import Draft202012Validator
    from referencing import Registry

    name = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
    schema = {"properties": {"metadata": {"$ref": f"_definitions.json#/$defs/{name}"}}}
    definitions = _definitions(_folder(version), version)
    return Draft202012Validator(schema, registry=Registry().with_resource("_definitions.json", definitions))


def _folder(version: str) -> str:
    """Return the schema folder of the newest known version that is not above this one."""
    from kubernetes_validate.utils import all_versions, major_minor

    known = [found for found in all_versions() if _number(major_minor(found)) <= _number(version)][-1]
    return f"kubernetes-json-schema/v{known}-local-strict"


@lru_cache(maxsize=8)
def _definitions(folder: str, version: str) -> Any:
    from kubernetes_validate.utils import schema_contents
    from referencing import Resource

    contents = schema_contents(f"{folder}/_definitions.json", version)
    # the schema has only the type; the format is in
    # https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
    contents["$defs"]["io.k8s.apimachinery.pkg.api.resource.Quantity"]["pattern"] = _QUANTITY
    return Resource.from_contents(contents)


@lru_cache(maxsize=512)
def _custom_validator(api_version: str, kind: str) -> Any:
    schema = custom_schema(api_version, kind)
    return None if schema is None else custom_validator(schema)


def custom_validator(schema: Mapping[str, Any]) -> Any:
    """Return a validator for the OpenAPI schema of a custom resource, in which unknown fields are violations.

    An API server removes unknown fields, and kubectl rejects them. If the schema allows unknown fields, the
    API server, kubectl and the validator accept them.
    """
    from jsonschema import Draft202012Validator

    return Draft202012Validator(_closed(schema, top=True))


def _closed(schema: Any, top: bool = False) -> Any:
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    found = {key: _closed(value) for key, value in schema.items() if key not in ("properties", "format")}
    if "properties" in schema:
        # the keys are names, which can equal keywords of the schema language
        found["properties"] = {name: _closed(value) for name, value in schema["properties"].items()}
        if top:
            found["properties"] |= {"apiVersion": {"type": "string"}, "kind": {"type": "string"}}
        free = schema.get("x-kubernetes-preserve-unknown-fields") or schema.get(
            "x-kubernetes-embedded-resource"
        )
        if "additionalProperties" not in schema and not free and schema.get("type") == "object":
            found["additionalProperties"] = False
    if schema.get("x-kubernetes-int-or-string"):
        found.pop("type", None)
        found.pop("anyOf", None)
        found["type"] = ["integer", "string"]
    if schema.get("nullable") and isinstance(found.get("type"), str):
        found["type"] = [found["type"], "null"]
    return found


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
