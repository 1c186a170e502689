"""Corrections of updates whose effect differs from the provider's schema, in one file for each service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scripts.cloud.template.custom_types import CUSTOM_RESOURCE, is_custom

from . import (
    custom,
    eks,
    fsx,
    hyperpod,
    hyperpod_addons,
    keys_and_secrets,
    kubernetes,
    logs_and_metrics,
    network,
    pcs,
    retention,
    s3_express,
)
from .model import Change, Correct, Correction, Properties

__all__ = ["Correction", "corrected"]

_SERVICES = (
    *(custom, eks, fsx, hyperpod, hyperpod_addons, retention, keys_and_secrets),
    *(kubernetes, logs_and_metrics, network, pcs, s3_express),
)
_CORRECTIONS: Mapping[str, tuple[Correct, ...]] = {
    kind: corrections for service in _SERVICES for kind, corrections in service.CORRECTIONS.items()
}


def corrected(resource_type: str, before: Properties, after: Properties) -> Iterator[Correction]:
    """Yield the corrections that apply to this change of a resource."""
    kinds = dict.fromkeys((CUSTOM_RESOURCE, resource_type) if is_custom(resource_type) else (resource_type,))
    for kind in kinds:
        for correct in _CORRECTIONS.get(kind, ()):
            yield from correct(Change(before, after))


def corrected_types() -> frozenset[str]:
    """Return the resource types with at least one correction."""
    return frozenset(_CORRECTIONS)
