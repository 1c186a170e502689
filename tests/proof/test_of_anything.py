"""A template that somebody edited is proven too: whatever stands in it, the walk ends with an answer."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.proof.artefacts import KINDS, Load

pytestmark = pytest.mark.synth

READ = (
    "AWS::EC2::",
    "AWS::EKS::Nodegroup",
    "AWS::PCS::",
    "AWS::SageMaker::Cluster",
    "AWS::FSx::",
    "AWS::IAM::Role",
    "Custom::AWSCDK-EKS-HelmChart",
)
JUNK: tuple[Any, ...] = (
    None,
    7,
    "x",
    [],
    {},
    [None],
    ["x"],
    [[]],
    {"Ref": 5},
    {"Fn::GetAtt": 1},
    {"Fn::Join": []},
    True,
)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a value, with a key of it."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        yield value, key
        yield from places(inner)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_the_walk_ends_whatever_a_template_says(load_artefacts: Load, kind: str, data: st.DataObject) -> None:
    artefacts = load_artefacts("p6-b200", kind)
    bodies = [
        body["Properties"]
        for body in artefacts.templates[artefacts.stack]["Resources"].values()
        if body["Type"].startswith(READ)
    ]
    for _ in range(data.draw(st.integers(1, 3))):
        found = list(places(bodies))
        container, key = found[data.draw(st.integers(0, len(found) - 1))]
        # a copy: the next round may change what this one puts in
        container[key] = deepcopy(data.draw(st.sampled_from(JUNK)))
    # a template's properties are a mapping, or it is refused before the walk
    for name, body in artefacts.templates[artefacts.stack]["Resources"].items():
        if not isinstance(body["Properties"], dict):
            artefacts.templates[artefacts.stack]["Resources"][name]["Properties"] = {}
    proof = artefacts.prove()
    assert proof.verdict
    assert proof.as_dict()["holds"] is (not proof.broken)
