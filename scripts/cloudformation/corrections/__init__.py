"""Where an update does not do what the provider's schema says, one file for each service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scripts.cloudformation.custom_types import CUSTOM_RESOURCE, is_custom

from . import custom, eks, fsx, hyperpod, keys_and_secrets, logs_and_metrics, network, pcs
from .model import Change, Correct, Correction, Properties

__all__ = ["Correction", "corrected"]

_CORRECTIONS: Mapping[str, tuple[Correct, ...]] = {
    **custom.CORRECTIONS,
    **eks.CORRECTIONS,
    **fsx.CORRECTIONS,
    **hyperpod.CORRECTIONS,
    **keys_and_secrets.CORRECTIONS,
    **logs_and_metrics.CORRECTIONS,
    **network.CORRECTIONS,
    **pcs.CORRECTIONS,
}


def corrected(resource_type: str, before: Properties, after: Properties) -> Iterator[Correction]:
    """The corrections that apply to this change of a resource."""
    kind = CUSTOM_RESOURCE if is_custom(resource_type) else resource_type
    for correct in _CORRECTIONS.get(kind, ()):
        yield from correct(Change(before, after))


def corrected_types() -> frozenset[str]:
    """The types of which some update is not what the schema says."""
    return frozenset(_CORRECTIONS)
