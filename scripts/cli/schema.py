"""The `ultracluster schema` command."""

from __future__ import annotations

from typing import Any

from scripts.cli.output import write_json


def show_schema(of: str) -> int:
    """Print the JSON Schema of profiles, or of a command's JSON output."""
    write_json(_schema(of))
    return 0


def _schema(of: str) -> dict[str, Any]:
    if of == "plan":
        from scripts.cli.plan.schema import json_schema as plan_schema

        return plan_schema()
    if of == "review":
        from scripts.cli.review.forms.as_json import json_schema as review_schema

        return review_schema()
    from config.profile.source.editor_schema import editor_schema

    return editor_schema()
