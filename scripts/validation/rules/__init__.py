"""The rules over resources: what a service refuses, known beforehand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from config.diagnostics import Code

from . import hyperpod, interfaces, lustre, pcs, repositories, security_groups
from .registry import Refusal, Resource, Sibling, TemplateRule

RULES: tuple[TemplateRule, ...] = (
    *lustre.RULES,
    *repositories.RULES,
    *security_groups.RULES,
    *hyperpod.RULES,
    *interfaces.RULES,
    *pcs.RULES,
)


def refusals(
    region: str, resource_type: str, properties: Mapping[str, Any], siblings: Mapping[str, Sibling]
) -> Iterator[tuple[Code, Refusal]]:
    """Everything that the rules know the service refuses of this resource."""
    resource = Resource(region=region, type=resource_type, properties=properties, siblings=siblings)
    for rule in RULES:
        if resource_type in rule.types:
            for refusal in rule.check(resource):
                yield rule.code, refusal
