"""What AWS accepts is not refused: built-in templates, and a resource of every type that the cloud plays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.cloud.template.provider_schemas import known_schema
from scripts.cloud.validation import Sibling, problems
from tests.cloud.examples.example import Example
from tests.cloud.examples.table import EXAMPLES
from tests.conftest import ROOT, of_snapshot
from tests.tables import each_row

SNAPSHOTS = sorted((ROOT / "tests" / "snapshots").glob("*.template.json"))


def resources_of(path: Path) -> tuple[str, dict[str, Sibling]]:
    """The Region and the resources of a built-in template."""
    design = of_snapshot(path.name.removesuffix(".template.json")).design
    assert design is not None
    region = design.profile.region
    return region, _read(region, json.loads(path.read_text(encoding="utf-8"))["Resources"])


def _read(region: str, resources: dict[str, Any]) -> dict[str, Sibling]:
    """Resources as a template has them, before anything is deployed."""
    return {
        name: Sibling(r["Type"], _tokens(r.get("Properties", {})), _ids(region, name, r["Type"]))
        for name, r in resources.items()
    }


def violation(region: str, resources: dict[str, Sibling]) -> list[str]:
    """What is refused of them."""
    return [
        f"{name}: {problem}"
        for name, own in resources.items()
        for problem in problems(
            region, own.type, own.properties, {n: s for n, s in resources.items() if n != name}
        )
    ]


def _ids(region: str, name: str, kind: str) -> frozenset[str]:
    schema = known_schema(region, kind) or {}
    reported = [path.removeprefix("/properties/") for path in schema.get("readOnlyProperties", ())]
    return frozenset({f"${{{name}}}", *(f"${{{name}.{attribute}}}" for attribute in reported)})


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
def test_the_built_in_templates_are_clean(path: Path) -> None:
    assert violation(*resources_of(path)) == []


@each_row("example", EXAMPLES, lambda example: example.type)
def test_a_resource_of_every_type_is_clean_before_and_after_its_change(example: Example) -> None:
    assert violation("us-east-1", _read("us-east-1", example.resources())) == []
    changed = example.resources(**(example.change or {}))
    assert violation("us-east-1", _read("us-east-1", changed)) == []
