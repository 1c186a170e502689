"""What Amazon Managed Grafana and Prometheus refuse of workspaces and their definitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from config.rules.deployed import services as codes
from scripts.cloud.validation.rules.reading import text_at, value_at
from scripts.cloud.validation.rules.registry import Refusal, Resource, rule

from .yaml_texts import read

_NO_GRAFANA_VPC = ("ap-northeast-2",)
_MANAGER, _TEMPLATES = "alertmanager_config", "template_files"


@rule(codes.GRAFANA_VPC, "AWS::Grafana::Workspace")
def region_connects_grafana(resource: Resource) -> Iterator[Refusal]:
    """VpcConfiguration."""
    if resource.region in _NO_GRAFANA_VPC and value_at(resource.properties, "VpcConfiguration") is not None:
        told = f"a VPC connection in {resource.region}"
        yield Refusal("VpcConfiguration", told, "take it out, or make the workspace in another Region")


@rule(codes.ALERT_MANAGER, "AWS::APS::Workspace")
def alert_manager_definition_is_wrapped(resource: Resource) -> Iterator[Refusal]:
    """AlertManagerDefinition: two keys, and an Alertmanager file with a route and receivers as text."""
    path, text = "AlertManagerDefinition", text_at(resource.properties, "AlertManagerDefinition")
    if text is None:
        return
    outer = read(text)
    if not isinstance(outer, Mapping) or _MANAGER not in outer:
        yield Refusal(path, f"no {_MANAGER} in it", f"put the Alertmanager file as text under {_MANAGER}")
        return
    for key in sorted(map(str, set(outer) - {_MANAGER, _TEMPLATES})):
        yield Refusal(path, f"{key} beside {_MANAGER}", f"move it into {_MANAGER}")
    inner = read(outer[_MANAGER]) if isinstance(outer[_MANAGER], str) else None
    if not isinstance(inner, Mapping) or not {"route", "receivers"} <= set(inner):
        told = f"{_MANAGER} is not the text of an Alertmanager file with a route and receivers"
        yield Refusal(path, told, f"write `{_MANAGER}: |` and the file below it, indented")


@rule(codes.RULE_FILE, "AWS::APS::RuleGroupsNamespace")
def rules_are_groups(resource: Resource) -> Iterator[Refusal]:
    """Data: one mapping with the key groups, and a list of named groups in it."""
    text = text_at(resource.properties, "Data")
    if text is None:
        return
    rules = read(text)
    groups = rules.get("groups") if isinstance(rules, Mapping) and set(rules) == {"groups"} else None
    if not isinstance(groups, list) or not all(
        isinstance(g, Mapping) and {"name", "rules"} <= set(g) for g in groups
    ):
        told = "it is not a mapping with `groups`, a list of groups with `name` and `rules`"
        yield Refusal("Data", told, "check the file with `promtool check rules`")
