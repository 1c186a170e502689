"""A template: its text as it was sent, and its body."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from .errors import RequestRefusedError

DELETION_POLICIES = ("Delete", "Retain", "RetainExceptOnCreate", "Snapshot")
REPLACE_POLICIES = ("Delete", "Retain", "Snapshot")
SECTIONS = frozenset(
    {
        "AWSTemplateFormatVersion",
        "Conditions",
        "Description",
        "Hooks",
        "Mappings",
        "Metadata",
        "Outputs",
        "Parameters",
        "Resources",
        "Rules",
        "Transform",
    }
)


class _Loader(yaml.SafeLoader):
    """YAML with CloudFormation's short forms (`!Sub`)."""


def _short_form(loader: _Loader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    value: Any
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    if suffix in ("Ref", "Condition"):
        return {suffix: value}
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {f"Fn::{suffix}": value}


def _as_written(loader: _Loader, node: yaml.Node) -> Any:
    return node.value


_Loader.add_multi_constructor("!", _short_form)
# a date in a policy document stays text
_Loader.add_constructor("tag:yaml.org,2002:timestamp", _as_written)


@dataclass(frozen=True)
class Template:
    """A parsed template. `text` is returned by GetTemplate as it was sent."""

    text: str
    body: Mapping[str, Any]

    @classmethod
    def parse(cls, text: str) -> Template:
        """JSON or YAML; refuses what is not a template at all."""
        try:
            body = json.loads(text)
        except json.JSONDecodeError:
            try:
                body = yaml.load(text, Loader=_Loader)
            except yaml.YAMLError as error:
                raise RequestRefusedError(f"Template format error: YAML not well-formed. ({error})") from None
        if not isinstance(body, dict):
            raise RequestRefusedError("Template format error: unsupported structure.")
        template = cls(text, body)
        template._check()
        return template

    def section(self, name: str) -> Mapping[str, Any]:
        """A section of the template, empty where it has none."""
        return self.body.get(name) or {}

    @property
    def resources(self) -> Mapping[str, Mapping[str, Any]]:
        """Logical id to resource, as written."""
        return self.section("Resources")

    def _check(self) -> None:
        unknown = sorted(set(self.body) - SECTIONS)
        if unknown:
            raise RequestRefusedError(f"Invalid template property or properties {unknown}")
        if not self.resources:
            raise RequestRefusedError("Template format error: At least one Resources member must be defined.")
        if self.body.get("Transform"):
            raise RequestRefusedError("the embedded cloud runs no template transforms")
        for logical_id, resource in self.resources.items():
            _check_resource(logical_id, resource)


def _check_resource(logical_id: str, resource: Any) -> None:
    where = f"[/Resources/{logical_id}]"
    if not isinstance(resource, dict) or not isinstance(resource.get("Type"), str):
        raise RequestRefusedError(
            f"Template format error: {where} Every Resources object must contain a Type member."
        )
    for attribute, allowed in (
        ("DeletionPolicy", DELETION_POLICIES),
        ("UpdateReplacePolicy", REPLACE_POLICIES),
    ):
        policy = resource.get(attribute)
        if isinstance(policy, str) and policy not in allowed:
            raise RequestRefusedError(
                f"Template error: {where} Unrecognized {attribute} {policy}: use {', '.join(allowed)}"
            )
