"""CloudFormation templates: the text as received, and the parsed body."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
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
_TEXT_SECTIONS = frozenset({"AWSTemplateFormatVersion", "Description", "Hooks", "Transform"})


class _Loader(yaml.SafeLoader):
    """A YAML loader with CloudFormation's short forms (`!Sub`)."""


def _text_keys(loader: _Loader, node: yaml.MappingNode, *, deep: bool = False) -> dict[str, Any]:
    """Return a mapping with string keys, as in JSON; YAML would parse an account ID key as a number."""
    loader.flatten_mapping(node)
    pairs: dict[str, Any] = {}
    for key, value in node.value:
        name = key.value if isinstance(key, yaml.ScalarNode) else str(loader.construct_object(key))
        pairs[name] = loader.construct_object(value, deep=deep)
    return pairs


def _mapping(loader: _Loader, node: yaml.MappingNode) -> Iterator[dict[str, Any]]:
    """Yield an empty mapping, then add its string keys; the YAML parser requires these steps for aliases."""
    pairs: dict[str, Any] = {}
    yield pairs
    pairs.update(_text_keys(loader, node))


def _short_form(loader: _Loader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    value: Any
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = _text_keys(loader, node, deep=True)
    if suffix in ("Ref", "Condition"):
        return {suffix: value}
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {f"Fn::{suffix}": value}


def _as_written(loader: _Loader, node: yaml.Node) -> Any:
    return node.value


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)
_Loader.add_multi_constructor("!", _short_form)
# a date in a policy document remains text
_Loader.add_constructor("tag:yaml.org,2002:timestamp", _as_written)


@dataclass(frozen=True)
class Template:
    """A parsed template. GetTemplate returns `text` as it was received."""

    text: str
    body: Mapping[str, Any]

    @classmethod
    def parse(cls, text: str) -> Template:
        """Parse JSON or YAML; raises RequestRefusedError if the text is not a template."""
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
        """Return a section of the template, empty if it is missing."""
        return self.body.get(name) or {}

    @property
    def resources(self) -> Mapping[str, Mapping[str, Any]]:
        """The resources as written, by logical id."""
        return self.section("Resources")

    def _check(self) -> None:
        unknown = sorted(set(self.body) - SECTIONS)
        if unknown:
            raise RequestRefusedError(f"Invalid template property or properties {unknown}")
        if not self.resources:
            raise RequestRefusedError("Template format error: At least one Resources member must be defined.")
        if self.body.get("Transform"):
            raise RequestRefusedError("the embedded cloud does not support template transforms")
        for logical_id, resource in self.resources.items():
            _check_resource(logical_id, resource)

    def require_shapes(self) -> None:
        """Raise RequestRefusedError for sections and resources with an invalid shape."""
        for name in sorted(SECTIONS - _TEXT_SECTIONS):
            if not isinstance(self.body.get(name, {}), dict | None):
                raise RequestRefusedError(f"Template format error: the {name} section must be a mapping.")
        for name, declared in self.section("Parameters").items():
            if not isinstance(declared, dict) or not isinstance(declared.get("Type"), str):
                raise RequestRefusedError(
                    f"Template format error: parameter {name} must be a mapping with a Type."
                )
        for name, declared in self.section("Outputs").items():
            export = declared.get("Export", {"Name": ""}) if isinstance(declared, dict) else None
            if not isinstance(export, dict) or "Value" not in declared or "Name" not in export:
                raise RequestRefusedError(
                    f"Template format error: output {name} must be a mapping with a Value, and its "
                    "Export a mapping with a Name."
                )
        for logical_id, resource in self.resources.items():
            _require_resource_shape(logical_id, resource)


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


def _require_resource_shape(logical_id: str, resource: Mapping[str, Any]) -> None:
    where = f"[/Resources/{logical_id}]"
    needs = resource.get("DependsOn", [])
    if not isinstance(needs, str | list) or not all(isinstance(name, str) for name in needs):
        raise RequestRefusedError(
            f"Template format error: {where} DependsOn must be a name or a list of names."
        )
    if not isinstance(resource.get("Properties", {}), dict | None):
        raise RequestRefusedError(f"Template format error: {where} Properties must be a mapping.")
