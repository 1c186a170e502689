"""EC2 tags: a create request contains tag specifications; later changes have separate calls."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from typing import Any, ClassVar

from scripts.cloud.resources.api import ApiModel
from scripts.cloud.resources.base import Context, Existing, Properties, from_tag_list


def retag(context: Context, resource_id: str, old: Properties, new: Properties) -> None:
    """Set the tags of an existing resource to those in its properties."""
    before, after = from_tag_list(old.get("Tags") or []), context.tags(new)
    removed = [{"Key": key} for key in sorted(set(before) - set(after))]
    if removed:
        context.client("ec2").delete_tags(Resources=[resource_id], Tags=removed)
    if after and after != before:
        context.client("ec2").create_tags(Resources=[resource_id], Tags=context.tag_list(new))


class Ec2Model(ApiModel):
    """An EC2 resource type whose settings and tags are changed with separate API calls."""

    service = "ec2"
    updates = ""
    reads = "describe_{}s"
    kind: ClassVar[str | None] = None
    """The resource type in tag specifications; by default the noun. If empty, no tags are sent."""

    def tags(self, context: Context, client: Any, method: str, properties: Properties) -> dict[str, Any]:
        kind = self.noun.replace("_", "-") if self.kind is None else self.kind
        tags = context.tag_list(properties)
        return {"TagSpecifications": [{"ResourceType": kind, "Tags": tags}]} if tags and kind else {}

    def retag(self, context: Context, existing: Existing, properties: Properties) -> None:
        if self.kind != "":
            retag(context, existing.physical_id, existing.properties, properties)

    def described(self, context: Context, existing: Existing) -> dict[str, Any] | None:
        """Return a resource; None if it is deleted (EC2 returns deleted resources for some time)."""
        record = super().described(context, existing)
        return None if record and record.get("State") in ("deleting", "deleted", "cancelled") else record
