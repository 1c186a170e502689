"""The rules over resources: what a service refuses, known beforehand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from config.diagnostics import Code

from . import (
    buckets,
    closure,
    directory_buckets,
    eks,
    eks_nodes,
    emptied_buckets,
    hyperpod,
    hyperpod_addons,
    hyperpod_settings,
    interfaces,
    launches,
    linked_buckets,
    lustre,
    lustre_kinds,
    lustre_tiering,
    network,
    nfs_exports,
    observability,
    openzfs,
    pcs,
    pcs_groups,
    prometheus_files,
    prometheus_receivers,
    repositories,
    roles,
    security_groups,
)
from .registry import Refusal, Resource, Sibling, TemplateRule

RULES: tuple[TemplateRule, ...] = (
    *network.RULES,
    *security_groups.RULES,
    *interfaces.RULES,
    *launches.RULES,
    *closure.RULES,
    *lustre.RULES,
    *lustre_kinds.RULES,
    *lustre_tiering.RULES,
    *repositories.RULES,
    *emptied_buckets.RULES,
    *linked_buckets.RULES,
    *buckets.RULES,
    *directory_buckets.RULES,
    *openzfs.RULES,
    *nfs_exports.RULES,
    *hyperpod.RULES,
    *hyperpod_settings.RULES,
    *hyperpod_addons.RULES,
    *pcs.RULES,
    *pcs_groups.RULES,
    *eks.RULES,
    *eks_nodes.RULES,
    *roles.RULES,
    *observability.RULES,
    *prometheus_receivers.RULES,
    *prometheus_files.RULES,
)


def refusals(
    region: str, resource_type: str, properties: Mapping[str, Any], siblings: Mapping[str, Sibling]
) -> Iterator[tuple[Code, Refusal]]:
    """Everything that the rules know the service refuses of this resource."""
    resource = Resource(region=region, type=resource_type, properties=properties, siblings=siblings)
    for rule in _rules_of(resource_type):
        for refusal in rule.check(resource):
            yield rule.code, refusal


@lru_cache(maxsize=512)
def _rules_of(resource_type: str) -> tuple[TemplateRule, ...]:
    return tuple(rule for rule in RULES if resource_type in rule.types)
