"""Names that differ in the case of the first letter: property `SubnetIds`, parameter `subnetIds`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# maps whose keys belong to the user
_MAPS = frozenset({"labels", "tags", "gresCustomSettings", "addOrUpdateLabels"})


def camel(value: Any) -> Any:
    """Return a CloudFormation value with the API's keys."""
    return _with_keys(value, lambda key: key[:1].lower() + key[1:])


def pascal(value: Any) -> Any:
    """Return an API value with CloudFormation's keys."""
    return _with_keys(value, lambda key: key[:1].upper() + key[1:])


def _with_keys(value: Any, spelled: Any) -> Any:
    if isinstance(value, list):
        return [_with_keys(item, spelled) for item in value]
    if not isinstance(value, Mapping):
        return value
    return {
        spelled(key): item if key[:1].lower() + key[1:] in _MAPS else _with_keys(item, spelled)
        for key, item in value.items()
    }
