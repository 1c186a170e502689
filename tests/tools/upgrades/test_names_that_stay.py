"""Create-only properties and names of a release's stacks are those of the present templates.

The stacks whose templates are snapshots are compared without a synthesis.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
import yaml

from scripts.cloud.template.provider_schemas import known_schema
from scripts.tools.upgrades.baseline import FrozenStack, read_baseline, releases
from scripts.tools.upgrades.check import reviewed
from tests.conftest import SNAPSHOTS, Synthesized
from tests.stack.test_physical_names import names_in
from tests.tables import each_row

Template = Mapping[str, Any]
STACKS = [stack for release in releases() for stack in read_baseline(release).stacks]
_METRIC = re.compile(r"[a-zA-Z_:][\w:]*_[\w:]+(?=[{\[)\s]|$)")


def snapshot_of(frozen: FrozenStack) -> str | None:
    file = SNAPSHOTS / f"{frozen.title.replace(' ', '.')}.template.json"
    return file.read_text(encoding="utf-8") if file.exists() else None


def values_at(value: Any, path: tuple[str, ...]) -> list[Any]:
    """The values at a path of a schema; `*` is each item of a list."""
    if not path:
        return [value]
    if path[0] == "*":
        return [values_at(item, path[1:]) for item in value] if isinstance(value, list) else []
    return values_at(value[path[0]], path[1:]) if isinstance(value, dict) and path[0] in value else []


def create_only(template: Template, region: str) -> Iterator[tuple[str, str, Any]]:
    """Logical id, path and value of every property that only a replacement can change."""
    for logical_id, resource in template["Resources"].items():
        schema = known_schema(region, resource["Type"]) or {}
        yield logical_id, "Type", resource["Type"]
        for pointer in schema.get("createOnlyProperties", []):
            path = tuple(pointer.removeprefix("/properties/").split("/"))
            yield logical_id, pointer, values_at(resource.get("Properties", {}), path)


def rules_of(template: Template) -> Iterator[dict[str, Any]]:
    """The alerts and recording rules in the template's rule files."""
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::APS::RuleGroupsNamespace":
            data = resource["Properties"]["Data"]
            parts = [data] if isinstance(data, str) else data["Fn::Join"][1]
            text = "".join(part if isinstance(part, str) else "X" for part in parts)
            for group in yaml.load(text, Loader=yaml.CSafeLoader)["groups"]:
                yield from group["rules"]


def names_of(template: Template) -> set[tuple[str, ...]]:
    """Physical names, alerts and recording rules with their labels, metrics, outputs and parameters."""
    found: set[tuple[str, ...]] = {("physical name", *map(str, name)) for name in names_in(template)}
    found |= {(part, name) for part in ("Outputs", "Parameters") for name in template.get(part, {})}
    for rule in rules_of(template):
        name = str(rule.get("alert") or rule["record"])
        found |= {("rule", name, *label) for label in rule.get("labels", {}).items()} | {("rule", name)}
        found |= {("metric", metric) for metric in _METRIC.findall(re.sub(r'"[^"]*"', "", rule["expr"]))}
    return found


def differences(frozen: FrozenStack, text: str) -> list[Any]:
    """What the present template has not, or has with another value."""
    template = json.loads(text)
    now = {(name, path): value for name, path, value in create_only(template, frozen.region)}
    changed = [
        (name, path, value, now.get((name, path)))
        for name, path, value in create_only(frozen.template, frozen.region)
        if now.get((name, path)) != value
    ]
    return [*changed, *sorted(names_of(frozen.template) - names_of(template))]


@each_row("frozen", [stack for stack in STACKS if snapshot_of(stack)], lambda stack: stack.title)
def test_a_create_only_property_or_a_name_of_a_release_does_not_change(frozen: FrozenStack) -> None:
    assert differences(frozen, snapshot_of(frozen) or "") == []


@pytest.mark.long
@pytest.mark.synth
def test_no_stack_without_a_snapshot_changes_either(tried: Callable[[str, str | None], Synthesized]) -> None:
    found = {
        stack.title: differences(stack, tried(stack.profile, stack.orchestrator).text)
        for stack in STACKS
        if snapshot_of(stack) is None
    }
    assert found
    assert {title: problems for title, problems in found.items() if problems} == {}


P6_B200 = next(stack for stack in STACKS if stack.title == "p6-b200")


def planted(old: str, new: str) -> list[Any]:
    template = json.dumps(P6_B200.template)
    assert old in template
    return differences(P6_B200, template.replace(old, new))


def test_another_text_of_a_security_group_is_found() -> None:
    assert differences(P6_B200, json.dumps(P6_B200.template)) == []
    ((name, path, *_),) = planted('"Lustre file system p6-b200"', '"The file system of p6-b200"')
    assert path == "/properties/GroupDescription"
    template = copy.deepcopy(dict(P6_B200.template))
    template["Resources"][name]["Properties"]["GroupDescription"] = "The file system of p6-b200"
    assert reviewed(P6_B200, json.dumps(template)) != []


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("- alert: DiskFull", "- alert: DiskIsFull", "rule"),
        ("severity: critical", "severity: urgent", "rule"),
        ("record: ultracluster:expected_gpus", "record: ultracluster:gpus", "rule"),
        ("node_filesystem_avail_bytes", "node_filesystem_bytes", "metric"),
    ],
)
def test_another_name_is_found(old: str, new: str, kind: str) -> None:
    assert kind in {found[0] for found in planted(old, new)}


def test_an_output_and_a_parameter_that_are_lost_are_found() -> None:
    for part in ("Outputs", "Parameters"):
        template = copy.deepcopy(dict(P6_B200.template))
        name = next(iter(template[part]))
        del template[part][name]
        assert differences(P6_B200, json.dumps(template)) == [(part, name)]
