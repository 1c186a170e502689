"""The rules over resources: what a service refuses, known beforehand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from config.diagnostics import Code

from . import closure, roles
from .capacity import interfaces, launches
from .kubernetes import eks, eks_nodes, hyperpod_addons
from .network import blocks as network
from .network import security_groups
from .observability import prometheus_files, prometheus_receivers
from .observability import workspaces as observability
from .registry import Refusal, Resource, Sibling, TemplateRule
from .slurm import hyperpod, hyperpod_settings, pcs, pcs_groups
from .storage import (
    buckets,
    directory_buckets,
    emptied_buckets,
    linked_buckets,
    lustre,
    lustre_kinds,
    lustre_tiering,
    nfs_exports,
    openzfs,
    repositories,
)

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
