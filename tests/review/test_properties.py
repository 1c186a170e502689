"""What holds for every template: nothing differs from itself, and an edit names what was edited."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.profile.source.reference import built_in_names
from scripts.cli.review import Review, review_templates
from scripts.cloud.template.document import Template
from scripts.cloud.template.graph import references
from scripts.cloud.template.schema import leaves
from tests.review.support import Body, snapshot

BODIES = {name: snapshot(name) for name in built_in_names()}
ANY = st.sampled_from(sorted(BODIES))
quick = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])


def review(old: Body, new: Body) -> Review:
    return review_templates(Template("", old), Template("", new), region="us-west-2", stack="s")


@quick
@given(name=ANY)
def test_a_template_does_not_differ_from_itself(name: str) -> None:
    found = review(BODIES[name], copy.deepcopy(BODIES[name]))
    assert (found.changes, found.diagnostics) == ((), ())


def followers(body: Body, start: str) -> set[str]:
    """The resource, and everything that refers to it, at any remove."""
    found, waiting = {start}, [start]
    while waiting:
        current = waiting.pop()
        for name, declared in body["Resources"].items():
            if name not in found and current in set(references(declared.get("Properties", {}))):
                found.add(name)
                waiting.append(name)
    return found


def other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int | float) else f"{value}x"


@pytest.mark.long
@quick
@given(name=ANY, data=st.data())
def test_an_edit_of_one_value_names_the_resource_and_nothing_that_does_not_follow_it(
    name: str, data: st.DataObject
) -> None:
    body = copy.deepcopy(BODIES[name])
    plain = [
        (logical_id, path)
        for logical_id, declared in sorted(body["Resources"].items())
        for path, value in leaves(declared.get("Properties", {}))
        if path
        and not isinstance(value, dict | list | None)
        and not any(part in ("Ref", "Key") or part.startswith("Fn::") for part in path)
    ]
    logical_id, path = data.draw(st.sampled_from(plain))
    place: Any = body["Resources"][logical_id]["Properties"]
    for part in path[:-1]:
        place = place[int(part) if isinstance(place, list) else part]
    last: Any = int(path[-1]) if isinstance(place, list) else path[-1]
    place[last] = other(place[last])
    found = review(BODIES[name], body)
    named = {change.logical_id for change in found.changes}
    assert logical_id in named
    assert named <= followers(BODIES[name], logical_id)
    (change,) = (change for change in found.changes if change.logical_id == logical_id)
    assert path[0] in {edit.path[0] for edit in change.edits}


@pytest.mark.long
@quick
@given(name=ANY, data=st.data())
def test_a_resource_taken_out_with_what_refers_to_it_is_all_that_goes(name: str, data: st.DataObject) -> None:
    body = copy.deepcopy(BODIES[name])
    logical_id = data.draw(st.sampled_from(sorted(body["Resources"])))
    removed_ids = followers(body, logical_id)
    body.pop("Outputs")
    rest = {key: value for key, value in body["Resources"].items() if key not in removed_ids}
    for declared in rest.values():
        after = declared.pop("DependsOn", [])
        kept = [item for item in ([after] if isinstance(after, str) else after) if item not in removed_ids]
        declared.update({"DependsOn": kept} if kept else {})
    if not rest:
        return
    found = review(BODIES[name], {**body, "Resources": rest})
    removed = {c.logical_id for c in found.changes if c.action.value in ("delete", "retain")}
    assert removed == removed_ids
    assert all(c.action.value == "untouched" for c in found.changes if c.logical_id not in removed_ids)


@quick
@given(name=ANY, seed=st.randoms(use_true_random=False))
def test_the_order_of_a_templates_sections_and_resources_is_no_change(name: str, seed: Any) -> None:
    def shuffled(mapping: Body) -> Body:
        keys = list(mapping)
        seed.shuffle(keys)
        return {key: mapping[key] for key in keys}

    body = json.loads(json.dumps(BODIES[name]))
    body["Resources"] = shuffled({k: shuffled(v) for k, v in body["Resources"].items()})
    found = review(BODIES[name], shuffled(body))
    assert (found.changes, found.diagnostics) == ((), ())


@pytest.mark.long
@quick
@given(name=ANY, data=st.data())
def test_what_goes_one_way_as_an_addition_goes_back_as_a_removal(name: str, data: st.DataObject) -> None:
    others = st.sampled_from(sorted(BODIES))
    second = data.draw(others)
    there = {c.logical_id: c.action.value for c in review(BODIES[name], BODIES[second]).changes}
    back = {c.logical_id: c.action.value for c in review(BODIES[second], BODIES[name]).changes}
    # what is new may be refused: a subnet whose block an old one still has
    new = BODIES[second]["Resources"].keys() - BODIES[name]["Resources"].keys()
    assert {k for k, v in there.items() if v in ("add", "refused") and k in new} == {
        k for k, v in back.items() if v in ("delete", "retain")
    }
    assert there.keys() == back.keys()
