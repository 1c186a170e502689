"""Properties and request parameters that differ in their first letter: `SubnetIds` and `subnetIds`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# maps whose keys are the user's own words
_MAPS = frozenset({"labels", "tags", "gresCustomSettings", "addOrUpdateLabels"})


def camel(value: Any) -> Any:
    """A value of CloudFormation with the keys of the API."""
    return _with_keys(value, lambda key: key[:1].lower() + key[1:])


def pascal(value: Any) -> Any:
    """A value of the API with the keys of CloudFormation."""
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
