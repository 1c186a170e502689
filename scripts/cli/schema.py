"""`ultracluster schema`."""

from __future__ import annotations

from config.profile.shape import json_schema
from scripts.cli.output import write_json


def show_schema() -> int:
    """Print the JSON Schema of a profile."""
    write_json(json_schema())
    return 0
