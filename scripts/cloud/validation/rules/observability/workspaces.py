"""Template rules for the definitions of AMG and AMP workspaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from config.rules.deployed import services as codes
from scripts.cloud.validation.rules.reading import text_at, value_at
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

from .yaml_texts import read

_NO_GRAFANA_VPC = ("ap-northeast-2",)
_MANAGER, _TEMPLATES = "alertmanager_config", "template_files"


@rule(codes.GRAFANA_VPC, "AWS::Grafana::Workspace")
def region_connects_grafana(resource: Resource) -> Iterator[Violation]:
    """Check that AMG supports a VPC connection in the Region."""
    if resource.region in _NO_GRAFANA_VPC and value_at(resource.properties, "VpcConfiguration") is not None:
        message = f"Amazon Managed Grafana does not support VPC connections in {resource.region}"
        yield Violation(
            "VpcConfiguration", message, "remove VpcConfiguration, or create the workspace in another Region"
        )


@rule(codes.ALERT_MANAGER, "AWS::APS::Workspace")
def alert_manager_definition_is_wrapped(resource: Resource) -> Iterator[Violation]:
    """Check the keys of AlertManagerDefinition, of which one contains an Alertmanager file as text."""
    path, text = "AlertManagerDefinition", text_at(resource.properties, "AlertManagerDefinition")
    if text is None:
        return
    outer = read(text)
    if not isinstance(outer, Mapping) or _MANAGER not in outer:
        yield Violation(
            path, f"`{_MANAGER}` is missing", f"put the Alertmanager file as text under `{_MANAGER}`"
        )
        return
    for key in sorted(map(str, set(outer) - {_MANAGER, _TEMPLATES})):
        yield Violation(
            path, f"the key {key} is not allowed outside {_MANAGER}", f"move {key} into {_MANAGER}"
        )
    inner = read(outer[_MANAGER]) if isinstance(outer[_MANAGER], str) else None
    if not isinstance(inner, Mapping) or not {"route", "receivers"} <= set(inner):
        message = f"{_MANAGER} is not the text of an Alertmanager file with a route and receivers"
        yield Violation(path, message, f"write `{_MANAGER}: |` and indent the file below it")


@rule(codes.RULE_FILE, "AWS::APS::RuleGroupsNamespace")
def rules_are_groups(resource: Resource) -> Iterator[Violation]:
    """Check that Data is a mapping whose only key, `groups`, lists groups with names."""
    text = text_at(resource.properties, "Data")
    if text is None:
        return
    rules = read(text)
    groups = rules.get("groups") if isinstance(rules, Mapping) and set(rules) == {"groups"} else None
    if not isinstance(groups, list) or not all(
        isinstance(g, Mapping) and {"name", "rules"} <= set(g) for g in groups
    ):
        message = "the file is not a mapping with `groups`, a list of groups with `name` and `rules`"
        yield Violation("Data", message, "check the file with `promtool check rules`")
