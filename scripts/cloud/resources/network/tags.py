"""How EC2 takes tags: a specification at creation, calls of their own afterwards."""

from __future__ import annotations

from typing import Any

from scripts.cloud.resources.base import Context, Properties, from_tag_list, known


def tag_specifications(kind: str, context: Context, properties: Properties) -> dict[str, Any]:
    """The request parameter that tags a new resource; empty where there is nothing to say."""
    tags = context.tag_list(properties)
    return {"TagSpecifications": [{"ResourceType": kind, "Tags": tags}]} if tags else {}


def described(record: Properties, **told: Any) -> dict[str, Any]:
    """What EC2 tells of a resource, with its tags in order."""
    tags = sorted(record.get("Tags", []), key=lambda tag: str(tag["Key"]))
    return known(**told, Tags=tags)


def retag(context: Context, resource_id: str, old: Properties, new: Properties) -> None:
    """Make the tags of an existing resource what its properties say now."""
    before, after = from_tag_list(old.get("Tags") or []), context.tags(new)
    gone = [{"Key": key} for key in sorted(set(before) - set(after))]
    if gone:
        context.client("ec2").delete_tags(Resources=[resource_id], Tags=gone)
    if after and after != before:
        context.client("ec2").create_tags(Resources=[resource_id], Tags=context.tag_list(new))
