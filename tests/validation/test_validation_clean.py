"""What AWS accepts is never refused: built-in templates, and a resource of every type that the cloud plays."""

from __future__ import annotations

import json
from typing import Any

import pytest

from config.cluster import load_cluster
from scripts.cloudformation.provider_schemas import known_schema
from scripts.validation import Sibling, problems
from tests.cloud.examples.example import Example
from tests.cloud.examples.table import EXAMPLES
from tests.conftest import ROOT

SNAPSHOTS = sorted((ROOT / "tests" / "snapshots").glob("*.template.json"))


def told_of(region: str, resources: dict[str, Any]) -> list[str]:
    """What is refused of resources as a template has them, before anything is deployed."""
    siblings = {
        name: Sibling(r["Type"], _tokens(r.get("Properties", {})), _ids(region, name, r["Type"]))
        for name, r in resources.items()
    }
    return [
        f"{name}: {problem}"
        for name, own in siblings.items()
        for problem in problems(
            region, own.type, own.properties, {n: s for n, s in siblings.items() if n != name}
        )
    ]


def _ids(region: str, name: str, kind: str) -> frozenset[str]:
    schema = known_schema(region, kind) or {}
    told = [path.removeprefix("/properties/") for path in schema.get("readOnlyProperties", ())]
    return frozenset({f"${{{name}}}", *(f"${{{name}.{attribute}}}" for attribute in told)})


def _tokens(value: Any) -> Any:
    """Functions as texts that are not known yet."""
    if isinstance(value, dict):
        if "Ref" in value:
            return f"${{{value['Ref']}}}"
        if "Fn::GetAtt" in value:
            return f"${{{'.'.join(value['Fn::GetAtt'])}}}"
        if len(value) == 1 and next(iter(value)).startswith("Fn::"):
            return "${later}"
        return {key: _tokens(item) for key, item in value.items()}
    return [_tokens(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("path", SNAPSHOTS, ids=lambda path: path.name)
def test_the_built_in_templates_are_clean(path: Any) -> None:
    design = load_cluster(path.name.removesuffix(".template.json")).design
    assert design is not None
    assert told_of(design.profile.region, json.loads(path.read_text(encoding="utf-8"))["Resources"]) == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.type)
def test_a_resource_of_every_type_is_clean_before_and_after_its_change(example: Example) -> None:
    assert told_of("us-east-1", example.resources()) == []
    assert told_of("us-east-1", example.resources(**(example.change or {}))) == []
