"""Check that CloudFormation and the services accept the properties of a template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from scripts.cloud.template.errors import ResourceFailedError
from scripts.cloud.template.provider_schemas import known_schema
from scripts.cloud.template.schema import NO_SCHEMA, leaves, validated
from scripts.cloud.validation import Problem, Sibling, problems
from scripts.cloud.validation.rules import RULES

from .symbols import owner_of

JUDGED = frozenset(kind for rule in RULES for kind in rule.types)
"""The resource types that a rule checks together with other resources of the stack."""


@dataclass(frozen=True)
class Resources:
    """The types and evaluated properties of one template's resources, by logical id."""

    region: str
    kinds: Mapping[str, str]
    properties: Mapping[str, Mapping[str, Any]]
    waivers: Mapping[str, str] = field(default_factory=dict)

    def faults(self, logical_id: str) -> list[Problem]:
        """Return the problems of one resource, those of its schema first; empty for types without a schema.

        Problems that the template waives are included, with their reason.
        """
        kind = self.kinds[logical_id]
        if kind in NO_SCHEMA or known_schema(self.region, kind) is None:
            return []
        try:
            validated(self.region, kind, self.properties[logical_id])
        except ResourceFailedError as error:
            message = str(error).removeprefix(f"Properties validation failed for {kind}: ").strip("[]")
            if not message.startswith(
                "Unrecognized resource type"
            ):  # the schema's type lists by Region are incomplete
                return [Problem("", message, "")]
        # other types are checked without their siblings
        beside = {n: s for n, s in self._siblings.items() if n != logical_id} if kind in JUDGED else {}
        return problems(self.region, kind, self.properties[logical_id], beside, self.waivers)

    @cached_property
    def _siblings(self) -> dict[str, Sibling]:
        ids: dict[str, set[str]] = {}
        for text in self._texts():
            owner = owner_of(text)
            if owner is not None:
                ids.setdefault(owner, set()).add(text)
        return {
            name: Sibling(self.kinds[name], properties, frozenset(ids.get(name, ())))
            for name, properties in self.properties.items()
        }

    def _texts(self) -> Iterator[str]:
        for properties in self.properties.values():
            yield from (value for _, value in leaves(properties) if isinstance(value, str))
