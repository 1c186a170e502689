"""Corrections for custom resources, whose providers have no schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scripts.cloud.template.custom_types import CUSTOM_RESOURCE
from scripts.cloud.template.effects import Effect

from .model import Change, Correct, Correction

_REFERENCE = "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-customresource.html"


def _token(change: Change) -> Iterator[Correction]:
    if change.differs("ServiceToken"):
        reason = "modifying the service token is not allowed"
        hint = "use another logical id, so that the new provider creates the resource again"
        yield Correction(("ServiceToken",), Effect.REFUSED, reason, _REFERENCE, hint)


CORRECTIONS: Mapping[str, tuple[Correct, ...]] = {CUSTOM_RESOURCE: (_token,)}
