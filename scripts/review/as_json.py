"""A report as data, and the JSON Schema that it keeps to: other tools rely on it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from config.diagnostics import Severity

from .layers import LAYERS, OTHER
from .model import ACTIONS, Action, Change, Edit, Policy, Review
from .report import Report

VERSION = 1
"""Goes up when a key changes its meaning or goes; a new key does not change it."""

_STATUSES = ("changed", "unchanged", "added", "removed")


def as_json(report: Report) -> dict[str, Any]:
    """The report as JSON-ready data."""
    return {
        "version": VERSION,
        "old": report.old,
        "new": report.new,
        "exit_status": report.exit_status,
        "stacks": [_stack(review) for review in report.stacks],
    }


def problems_as_json(problems: list[tuple[str, str, str, str | None]]) -> dict[str, Any]:
    """What is wrong with the inputs: (OLD or NEW, what was given, message, hint)."""
    keys = ("input", "given", "message", "hint")
    return {
        "version": VERSION,
        "exit_status": 2,
        "problems": [dict(zip(keys, p, strict=True)) for p in problems],
    }


def _stack(review: Review) -> dict[str, Any]:
    return {
        "name": review.stack,
        "region": review.region,
        "status": review.status,
        "counts": {action.value: review.counts.get(action.value, 0) for action in Action},
        "changes": [_change(change) for change in review.changes],
        "diagnostics": [diagnostic.as_dict() for diagnostic in review.diagnostics],
        "waivers": [asdict(waiver) for waiver in review.waivers],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "logical_id": change.logical_id,
        "type": change.type,
        "layer": change.layer,
        "action": change.action.value,
        "policy": change.policy.value if change.policy else None,
        "because": list(change.because),
        "attributes": list(change.attributes),
        "faults": list(change.faults),
        "reason": change.reason,
        "source": change.source,
        "properties": [_property(edit) for edit in change.edits],
    }


def _property(edit: Edit) -> dict[str, Any]:
    return {
        "path": edit.name,
        "before": edit.before,
        "after": edit.after,
        "effect": ACTIONS[edit.effect].value,
        "because": list(edit.because),
        "reason": edit.reason,
        "source": edit.source,
    }


def json_schema() -> dict[str, Any]:
    """The JSON Schema of what `ultracluster review --json` prints."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ultracluster review",
        "oneOf": [
            _object(
                {
                    "version": {"const": VERSION},
                    "old": _text("What was given as OLD."),
                    "new": _text("What was given as NEW."),
                    "exit_status": {"enum": [0, 1], "description": "1: at least one diagnostic is an error."},
                    "stacks": _list({"$ref": "#/$defs/stack"}),
                }
            ),
            _object(
                {
                    "version": {"const": VERSION},
                    "exit_status": {"const": 2, "description": "The inputs could not be used."},
                    "problems": _list({"$ref": "#/$defs/problem"}),
                }
            ),
        ],
        "$defs": {
            "stack": _stack_schema(),
            "change": _change_schema(),
            "property": _property_schema(),
            "diagnostic": _diagnostic_schema(),
            "waiver": _waiver_schema(),
            "problem": _object(
                {
                    "input": {"enum": ["OLD", "NEW"]},
                    "given": _text("What was given."),
                    "message": _text("Why it cannot be used."),
                    "hint": _maybe("What to give instead."),
                }
            ),
        },
    }


def _stack_schema() -> dict[str, Any]:
    counts = {action.value: {"type": "integer", "minimum": 0} for action in Action}
    return _object(
        {
            "name": _maybe("Name of the stack; null for a template file."),
            "region": _text("Region whose resource schemas were used."),
            "status": {"enum": list(_STATUSES)},
            "counts": {**_object(counts), "description": "Number of resources by action."},
            "changes": {**_list({"$ref": "#/$defs/change"}), "description": "The most dangerous first."},
            "diagnostics": _list({"$ref": "#/$defs/diagnostic"}),
            "waivers": {**_list({"$ref": "#/$defs/waiver"}), "description": "Waivers that differ, by code."},
        }
    )


def _change_schema() -> dict[str, Any]:
    return _object(
        {
            "logical_id": _text("Logical id of the resource."),
            "type": _text("Resource type."),
            "layer": {"enum": [*LAYERS, OTHER]},
            "action": {"enum": [action.value for action in Action]},
            "policy": {"enum": [*(policy.value for policy in Policy), None], "description": _POLICY},
            "because": _list(_text("Logical id of a new resource that this one refers to.")),
            "attributes": _list(_text("Attribute beside the properties that differs.")),
            "faults": _list(_text("What is refused of the properties as they will be.")),
            "reason": _maybe("Why, where more is known than the schema says."),
            "source": _maybe("Who says so."),
            "properties": _list({"$ref": "#/$defs/property"}),
        }
    )


_POLICY = "What becomes of the old resource, where it is replaced or deleted."


def _property_schema() -> dict[str, Any]:
    anything: dict[str, Any] = {"description": "The value; null for none."}
    return _object(
        {
            "path": _text("Path of the property; an item of a list without order goes by its name."),
            "before": anything,
            "after": anything,
            "effect": {"enum": sorted(action.value for action in ACTIONS.values())},
            "because": _list(_text("Logical id of a new resource that the value comes from.")),
            "reason": _maybe("Why, where more is known than the schema says."),
            "source": _maybe("Who says so."),
        }
    )


def _diagnostic_schema() -> dict[str, Any]:
    return _object(
        {
            "code": {"type": "string", "pattern": "^[A-Z]{3}[0-9]{3}$"},
            "severity": {"enum": [severity.value for severity in Severity]},
            "path": _text(
                "Logical id, or logical id and property; a key where the profile is what is found wrong."
            ),
            "message": _text("What is wrong."),
            "hint": _text("The way out."),
            "source": _text("Who says so."),
            "file": {"type": ["string", "null"]},
            "line": {"type": ["integer", "null"]},
            "waived": _maybe("Why the template accepts it; null where it does not."),
        }
    )


def _waiver_schema() -> dict[str, Any]:
    return _object(
        {
            "code": _text("Code of the diagnostics that are accepted."),
            "action": {"enum": ["added", "removed", "changed"]},
            "before": _maybe("The reason in OLD; null for none."),
            "after": _maybe("The reason in NEW; null for none."),
            "holds": {"type": "boolean", "description": "False: the code cannot be waived."},
        }
    )


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _maybe(description: str) -> dict[str, Any]:
    return {"type": ["string", "null"], "description": description}
