"""The JSON Schema of a report: other tools rely on it."""

from __future__ import annotations

from typing import Any, get_args

from config.diagnostics import Severity
from scripts.cli.review.differences.grants import Kind
from scripts.cli.review.differences.money import Missing
from scripts.cli.review.differences.network_facts import Topic
from scripts.cli.review.layers import LAYERS, OTHER
from scripts.cli.review.model import ACTIONS, Action, Policy

from .as_json import VERSION

_STATUSES = ("changed", "unchanged", "added", "removed", "refused", "mended")


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
            "iam": _iam_schema(),
            "network": _network_schema(),
            "costs": _costs_schema(),
            "cost_side": _cost_side_schema(),
            "quota": _quota_schema(),
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
            "profile": _maybe("The profile's file, where profiles of two revisions are reviewed."),
            "iam": {
                **_list({"$ref": "#/$defs/iam"}),
                "description": "Permissions that differ, what lets the most first.",
            },
            "network": {
                **_list({"$ref": "#/$defs/network"}),
                "description": "Ways that open or close, what becomes public first.",
            },
            "costs": {
                "oneOf": [{"$ref": "#/$defs/costs"}, {"type": "null"}],
                "description": "Null where nothing differs, or a side is not given as a profile.",
            },
            "quotas": {
                **_list({"$ref": "#/$defs/quota"}),
                "description": "Quotas of which another amount is needed, those to be raised first.",
            },
            "gone": {
                **_list({"$ref": "#/$defs/diagnostic"}),
                "description": "What the rules find of OLD and no longer of NEW.",
            },
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


def _iam_schema() -> dict[str, Any]:
    return _object(
        {
            "holder": _text("Logical id of the role, or of the resource whose policy it is; else a name."),
            "kind": {"enum": list(get_args(Kind))},
            "change": {"enum": ["gained", "lost"]},
            "effect": _text("Allow or Deny."),
            "principals": _list(_text("Who; empty where the holder itself is who.")),
            "actions": _list(_text("What; of a managed policy or a boundary its ARN.")),
            "resources": _list(_text("On what.")),
            "condition": _maybe("The condition, as JSON."),
            "wildcards": _list(_text("What is wide of it.")),
            "widens": _flag("More is allowed than before."),
            "sentence": _text("The change in one line."),
        }
    )


def _network_schema() -> dict[str, Any]:
    return _object(
        {
            "topic": {"enum": list(get_args(Topic))},
            "change": {"enum": ["opened", "closed"]},
            "resource": _text("Logical id of what the way belongs to."),
            "what": _text("The way in words."),
            "public": _flag("It leads in from, or into, the internet."),
            "sentence": _text("The change in one line."),
        }
    )


def _costs_schema() -> dict[str, Any]:
    side = {"oneOf": [{"$ref": "#/$defs/cost_side"}, {"type": "null"}]}
    change = _object(
        {
            "item": _text("What is billed."),
            "before": side,
            "after": side,
            "usd_per_hour": _amount("By how much it costs more; null where a side tells no sum."),
            "usd_per_month": _amount("Of 730 hours; null too of what is paid in advance."),
        }
    )
    return _object(
        {
            "before_usd_per_hour": {"type": "number"},
            "after_usd_per_hour": {"type": "number"},
            "usd_per_hour": {"type": "number"},
            "before_usd_per_month": {"type": "number"},
            "after_usd_per_month": {"type": "number"},
            "usd_per_month": {"type": "number", "description": "Of 730 hours."},
            "unpriced": _list(_text("An item of NEW that is in no sum: no price is listed.")),
            "changes": _list(change),
        }
    )


def _cost_side_schema() -> dict[str, Any]:
    return _object(
        {
            "count": {"type": "number"},
            "usd_per_hour": _amount("For all of it; null where no price is listed or its use decides."),
            "usd_per_month": _amount("Of 730 hours; null too of what is paid in advance."),
            "note": _text("What else is to be known of the price."),
            "missing": {"enum": [*get_args(Missing), None], "description": "Why a sum is not told."},
        }
    )


def _quota_schema() -> dict[str, Any]:
    return _object(
        {
            "service_code": _text("The service as Service Quotas names it."),
            "name": _text("The quota's name."),
            "code": _maybe("The quota's code."),
            "unit": _text("What is counted."),
            "before": _amount("What OLD needs; null for none."),
            "after": _amount("What NEW needs; null for none."),
            "default": _amount("What a new account has; null where that is not known."),
            "per": _text("What the quota counts for."),
            "because": _text("What needs it."),
            "source": _text("Who says so."),
            "must_be_raised": _flag("NEW needs more than OLD, and more than a new account has."),
        }
    )


def _amount(description: str) -> dict[str, Any]:
    return {"type": ["number", "null"], "description": description}


def _flag(description: str) -> dict[str, Any]:
    return {"type": "boolean", "description": description}


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
