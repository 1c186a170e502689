"""Groups of resources, by a query or by name: capacity reservations are gathered in them."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

from typing import Any

from scripts.cloud.resources.base import (
    Context,
    Created,
    Existing,
    Model,
    Properties,
    found,
    known,
    only,
    tag_mapping,
)


class Group(Model):
    """A group."""

    type = "AWS::ResourceGroups::Group"
    _NAMES = ("Name", "Description", "ResourceQuery", "Configuration")

    def create(self, context: Context, properties: Properties) -> Created:
        groups, name = context.client("resource-groups"), properties["Name"]
        made = groups.create_group(**only(properties, *self._NAMES), Tags=context.tags(properties))["Group"]
        context.claim(name)
        self._members(groups, name, {}, properties)
        return Created(name, {"Arn": made["GroupArn"]})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        groups, name = context.client("resource-groups"), existing.physical_id
        groups.update_group(GroupName=name, Description=properties.get("Description", ""))
        if "ResourceQuery" in properties:
            groups.update_group_query(GroupName=name, ResourceQuery=properties["ResourceQuery"])
        if "Configuration" in properties:
            groups.put_group_configuration(Group=name, Configuration=properties["Configuration"])
        self._members(groups, name, existing.properties, properties)
        arn, tags, wanted = (
            existing.attributes["Arn"],
            tag_mapping(existing.properties),
            context.tags(properties),
        )
        if set(tags) - set(wanted):
            groups.untag(Arn=arn, Keys=sorted(set(tags) - set(wanted)))
        if wanted and wanted != tags:
            groups.tag(Arn=arn, Tags=wanted)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("resource-groups").delete_group(Group=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        groups, name = context.client("resource-groups"), existing.physical_id
        answer = found(groups.get_group, GroupName=name)
        if answer is None:
            return None
        query = groups.get_group_query(GroupName=name)["GroupQuery"].get("ResourceQuery")
        configuration = groups.get_group_configuration(Group=name)["GroupConfiguration"]
        listed = groups.list_group_resources(Group=name)["ResourceIdentifiers"]
        return known(
            **only(answer["Group"], "Description"),
            ResourceQuery=query,
            Configuration=configuration.get("Configuration"),
            Resources=sorted(resource["ResourceArn"] for resource in listed),
        )

    @staticmethod
    def _members(groups: Any, name: str, old: Properties, new: Properties) -> None:
        before, after = (set(p.get("Resources") or []) for p in (old, new))
        if before - after:
            groups.ungroup_resources(Group=name, ResourceArns=sorted(before - after))
        if after - before:
            groups.group_resources(Group=name, ResourceArns=sorted(after - before))


MODELS = (Group(),)
