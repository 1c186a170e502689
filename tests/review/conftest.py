"""Two templates of a test, and what a review says of them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from scripts.cloudformation.template import Template
from scripts.review import Review, review_templates
from tests.conftest import SNAPSHOTS

Body = dict[str, Any]


def template(resources: Body, **sections: Any) -> Template:
    return Template.parse(json.dumps({"Resources": resources, **sections}))


def reviewed(old: Body, new: Body, **sections: Any) -> Review:
    """The review of two sets of resources with the same other sections."""
    return review_templates(template(old, **sections), template(new, **sections), region="us-west-2")


def codes(review: Review) -> list[str]:
    return [diagnostic.code for diagnostic in review.diagnostics]


def actions(review: Review) -> dict[str, str]:
    return {change.logical_id: change.action.value for change in review.changes}


def snapshot(name: str = "p6-b200") -> Body:
    body: Body = json.loads((SNAPSHOTS / f"{name}.template.json").read_text(encoding="utf-8"))
    return body


def only(body: Body, kind: str) -> str:
    """The logical id of the one resource of its type."""
    (logical_id,) = (name for name, declared in body["Resources"].items() if declared["Type"] == kind)
    return str(logical_id)


@pytest.fixture
def edited() -> Callable[[Callable[[Body], None]], Review]:
    """The review of the built-in p6-b200 against itself with something changed."""

    def review(edit: Callable[[Body], None]) -> Review:
        old = snapshot()
        new = copy.deepcopy(old)
        edit(new)
        return review_templates(
            Template.parse(json.dumps(old)),
            Template.parse(json.dumps(new)),
            region="us-west-2",
            stack="p6-b200",
        )

    return review
