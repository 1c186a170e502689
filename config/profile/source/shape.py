"""Check of keys, types, allowed values and limits of a profile."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from config.diagnostics import Diagnostic, Path
from config.profile.model import Profile
from config.profile.slurm.settings import SETTINGS
from config.profile.source import codes
from config.profile.source.fault_messages import OFFERS, describe
from config.profile.source.merge import Layered
from config.profile.source.schema import json_schema

__all__ = ["check_shape", "json_schema"]


def check_shape(layered: Layered) -> tuple[Profile | None, list[tuple[Path, Diagnostic]]]:
    """Return the typed profile, or None with all errors, each with its path."""
    try:
        return Profile.model_validate(layered.data), []
    except ValidationError as error:
        found = [_fault(dict(fault), layered) for fault in error.errors(include_url=False)]
        # the required keys of a mapping are unknown if its kind is unknown
        unknown = {
            path[:-1]
            for path, fault in found
            if path and path[-1] == "kind" and fault.code != codes.UNKNOWN_KEY.code
        }
        return None, [
            (path, fault)
            for path, fault in found
            if fault.code != codes.MISSING_KEY.code or path[-1] == "kind" or path[:-1] not in unknown
        ]


def stands_alone(path: Path, fault: Diagnostic) -> bool:
    """Return True if the rest of a part can be checked without the wrong key.

    A misspelt key is excluded, because the value of the correct key is then unknown.
    """
    if len(path) < 2:
        return False
    if fault.code == codes.UNKNOWN_KEY.code:
        return not fault.hint.startswith(OFFERS)
    return path[-2] in SETTINGS


def _fault(fault: dict[str, Any], layered: Layered) -> tuple[Path, Diagnostic]:
    path = _user_path(fault["loc"], layered.data)
    if fault["type"] == "union_tag_invalid":
        path = (*path, "kind")
    code, message, hint = describe(fault, path, layered.data)
    return path, layered.diagnose(code, path, message, hint)


def _user_path(loc: tuple[int | str, ...], data: Any) -> Path:
    """Return a path with the profile's keys only, without the `kind` that pydantic adds for a union."""
    path: list[int | str] = []
    here = data
    for step in loc:
        if isinstance(step, str) and isinstance(here, dict) and step not in here and here.get("kind") == step:
            continue
        path.append(step)
        try:
            here = here[step]
        except (KeyError, IndexError, TypeError):
            here = None
    return tuple(path)
