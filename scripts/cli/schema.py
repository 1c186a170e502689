"""`ultracluster schema`."""

from __future__ import annotations

from config.profile.editor_schema import editor_schema
from scripts.cli.output import write_json


def show_schema() -> int:
    """Print the JSON Schema of a profile."""
    write_json(editor_schema())
    return 0
