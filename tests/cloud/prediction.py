"""What a review says of an edit, in the words in which a deployment's outcome is told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from config.diagnostics import Severity
from config.review import codes
from scripts.cli.review import Action, Review, review_templates
from scripts.cloud.template.document import Template

# a deployment that fails was predicted by one of these, or by one of the rules over resources
_REFUSALS = {
    codes.REFUSED.code,
    codes.NAME_TAKEN.code,
    codes.OTHER_TYPE.code,
    codes.NOT_VALID.code,
    codes.NOT_TAKEN.code,
}
_WORDS = {
    Action.REPLACE: "replaced",
    Action.DELETE: "removed",
    Action.RETAIN: "removed",
    Action.ADD: "added",
}


def reviewed(old: Mapping[str, Any], new: Mapping[str, Any], region: str) -> Review:
    """The review of two template bodies."""
    sides = (Template.parse(json.dumps(side)) for side in (old, new))
    return review_templates(*sides, region=region)


def is_refused(review: Review) -> bool:
    """Whether the deployment will fail."""
    errors = {found.code for found in review.diagnostics if found.severity is Severity.ERROR}
    return bool(errors & _REFUSALS) or any(not code.startswith("REV") for code in errors)


def predicted(review: Review) -> dict[str, str]:
    """What becomes of each resource."""
    return {
        change.logical_id: _WORDS.get(change.action, "changed")
        for change in review.changes
        if change.action not in (Action.UNTOUCHED, Action.REFUSED)
    }
