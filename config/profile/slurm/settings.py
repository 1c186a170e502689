"""Slurm settings in a profile, with names and values as in Slurm's manual."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from config.profile.base import PLAIN


def _as_text(value: Any) -> Any:
    """Convert a value to Slurm's form; true and false become YES and NO."""
    if isinstance(value, bool):
        return "YES" if value else "NO"
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value) if isinstance(value, int) else value


_Value = Annotated[
    Annotated[str, Field(pattern=PLAIN, min_length=1, max_length=1000)] | None,
    BeforeValidator(_as_text),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "pattern": PLAIN, "minLength": 1, "maxLength": 1000},
                {"type": "number"},
                {"type": "boolean"},
                {"type": "null"},
            ]
        }
    ),
]

SlurmSettings = dict[str, _Value]
"""Settings by name; null removes a setting of an extended profile or a default of ultracluster."""

SETTINGS = ("settings", "slurm_settings", "accounting_settings", "cgroup_settings")
"""Keys of a profile that contain settings."""

NO_SETTINGS: SlurmSettings = {}
"""Default value: no settings."""
