"""Resource groups, for example groups of capacity reservations."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.api import ApiModel
from scripts.cloud.resources.base import Context, Existing, Properties


class Group(ApiModel):
    """A resource group."""

    type = "AWS::ResourceGroups::Group"
    service, noun = "resource-groups", "group"
    reads = "get_{}"
    key = ("GroupName",)
    ref = "{Name}"
    emptied = ("Description",)

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        name, old = existing.physical_id, existing.properties
        if "ResourceQuery" in properties and old:
            client.update_group_query(GroupName=name, ResourceQuery=properties["ResourceQuery"])
        if "Configuration" in properties and old:
            client.put_group_configuration(Group=name, Configuration=properties["Configuration"])
        before, after = (set(p.get("Resources") or []) for p in (old, properties))
        if before - after:
            client.ungroup_resources(Group=name, ResourceArns=sorted(before - after))
        if after - before:
            client.group_resources(Group=name, ResourceArns=sorted(after - before))

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        groups, group = context.client("resource-groups"), {"Group": existing.physical_id}
        listed = groups.list_group_resources(**group)["ResourceIdentifiers"]
        more = {
            "ResourceQuery": groups.get_group_query(**group)["GroupQuery"].get("ResourceQuery"),
            "Configuration": groups.get_group_configuration(**group)["GroupConfiguration"].get(
                "Configuration"
            ),
            "Resources": sorted(resource["ResourceArn"] for resource in listed),
        }
        return super().properties(context, existing, {**record, **more})
