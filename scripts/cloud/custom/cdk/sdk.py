"""Translation of AWS SDK for JavaScript calls to boto3."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from botocore import xform_name
from botocore.utils import EVENT_ALIASES

from scripts.cloud.custom.environment import Environment

_PHYSICAL_ID = "PHYSICAL:RESOURCEID:"
_PACKAGE = "@aws-sdk/client-"


def operation(environment: Environment, region: str, service: str, action: str) -> tuple[Any, str, Any]:
    """Return a client, the method of a call and the method's input shape; raises LookupError if unknown."""
    client = environment.client(_service(environment, service), region)
    names = {name.lower(): name for name in client.meta.service_model.operation_names}
    wanted = action.lower()
    name = names.get(wanted) or names.get(wanted.removesuffix("command"))
    if name is None:
        raise LookupError(f"Unable to find command named: {action} in service {service}")
    return client, xform_name(name), client.meta.service_model.operation_model(name).input_shape


def _service(environment: Environment, service: str) -> str:
    """Return boto3's name for a service name of the SDK for JavaScript, version 2 or 3."""
    wanted = service.lower().removeprefix(_PACKAGE).replace("-", "")
    for name in environment.session().get_available_services():
        if wanted in (name.replace("-", ""), EVENT_ALIASES.get(name, name).replace("-", "")):
            return str(name)
    raise LookupError(f"Package {_PACKAGE}{service} does not exist.")


def parameters(value: Any, shape: Any, physical_id: str) -> Any:
    """Return the parameters with the resource's id inserted, and with text converted to the shape's type."""
    if value == _PHYSICAL_ID:
        return physical_id
    if isinstance(value, Mapping):
        members = getattr(shape, "members", {})
        other = getattr(shape, "value", None)
        return {key: parameters(item, members.get(key, other), physical_id) for key, item in value.items()}
    if isinstance(value, list):
        return [parameters(item, getattr(shape, "member", None), physical_id) for item in value]
    return _coerced(value, getattr(shape, "type_name", None))


def _coerced(value: Any, kind: str | None) -> Any:
    if kind == "blob" and isinstance(value, str | int | float):
        return str(value).encode()
    if kind in ("integer", "long", "float", "double") and isinstance(value, str):
        try:
            return int(value) if kind in ("integer", "long") else float(value)
        except ValueError:
            return value
    return value


def flattened(response: Mapping[str, Any]) -> dict[str, Any]:
    """Return each leaf of a response by its path: `Parameter.Value`, `Volumes.0.Size`."""
    found: dict[str, Any] = {}
    _flatten({name: item for name, item in response.items() if name != "ResponseMetadata"}, (), found)
    return found


def _flatten(value: Any, path: tuple[str, ...], found: dict[str, Any]) -> None:
    if isinstance(value, Mapping):
        for name, item in value.items():
            _flatten(item, (*path, str(name)), found)
    elif isinstance(value, list):
        _flatten({str(index): item for index, item in enumerate(value)}, path, found)
    elif isinstance(value, datetime.datetime):
        return  # in JavaScript a date is an object without entries, so it is dropped
    else:
        found[".".join(path)] = _text(value)


def _text(value: Any) -> Any:
    if hasattr(value, "read"):
        value = value.read()
    return value.decode(errors="replace") if isinstance(value, bytes) else value
