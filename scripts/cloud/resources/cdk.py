"""The resource type of the CDK's metadata."""

# ruff: noqa: D102 - Model describes the methods

from __future__ import annotations

from .base import Context, Created, Existing, Model, Properties


class CdkMetadata(Model):
    """CDK's record of the versions used, which has no effect."""

    type = "AWS::CDK::Metadata"

    def create(self, context: Context, properties: Properties) -> Created:
        return Created(context.generated_name(64))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        """The resource exists only in the stack."""
