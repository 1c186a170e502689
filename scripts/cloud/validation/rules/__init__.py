"""Template rules: checks for values that an AWS service is known to reject."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from config.diagnostics import Code

from . import capacity, closure, kubernetes, network, observability, roles, slurm, storage
from .registry import Resource, Sibling, TemplateRule, Violation, rules_of

RULES: tuple[TemplateRule, ...] = (
    *network.RULES,
    *capacity.RULES,
    *rules_of(closure),
    *storage.RULES,
    *slurm.RULES,
    *kubernetes.RULES,
    *rules_of(roles),
    *observability.RULES,
)


def violations(
    region: str, resource_type: str, properties: Mapping[str, Any], siblings: Mapping[str, Sibling]
) -> Iterator[tuple[Code, Violation]]:
    """Yield each violation that the rules find in a resource."""
    resource = Resource(region=region, type=resource_type, properties=properties, siblings=siblings)
    for rule in _rules_of(resource_type):
        for violation in rule.check(resource):
            yield rule.code, violation


@lru_cache(maxsize=512)
def _rules_of(resource_type: str) -> tuple[TemplateRule, ...]:
    return tuple(rule for rule in RULES if resource_type in rule.types)
