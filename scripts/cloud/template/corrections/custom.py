"""Custom resources: no schema says what their provider does; one property is CloudFormation's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scripts.cloud.template.custom_types import CUSTOM_RESOURCE
from scripts.cloud.template.effects import Effect

from .model import Change, Correct, Correction

_REFERENCE = "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-customresource.html"


def _token(change: Change) -> Iterator[Correction]:
    if change.differs("ServiceToken"):
        reason = "modifying the service token is not allowed"
        hint = "give the resource another logical id, so that the new provider makes it anew"
        yield Correction(("ServiceToken",), Effect.REFUSED, reason, _REFERENCE, hint)


CORRECTIONS: Mapping[str, tuple[Correct, ...]] = {CUSTOM_RESOURCE: (_token,)}
