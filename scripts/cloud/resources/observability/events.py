"""Rules of EventBridge, with what they set off."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

from typing import Any

from scripts.cloud.resources.base import (
    Context,
    Created,
    Existing,
    Model,
    Properties,
    document_of,
    found,
    known,
    only,
    tag_mapping,
    text_of,
)
from scripts.cloud.template.errors import ResourceFailedError


class Rule(Model):
    """A rule on the default event bus or on another."""

    type = "AWS::Events::Rule"
    _NAMES = ("Description", "RoleArn", "ScheduleExpression", "State")

    def create(self, context: Context, properties: Properties) -> Created:
        events = context.client("events")
        name = properties.get("Name") or context.generated_name(64)
        bus = only(properties, "EventBusName")
        if found(events.describe_rule, Name=name, **bus):  # EventBridge itself would change it
            raise ResourceFailedError(f"{name} already exists")
        arn = self._put(events, name, properties, **context.tagged(properties))
        physical_id = (
            f"{bus['EventBusName']}|{name}" if bus.get("EventBusName", "default") != "default" else name
        )
        context.claim(physical_id)
        self._targets(events, name, {}, properties)
        return Created(physical_id, {"Arn": arn, "RuleName": name})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        events, name = context.client("events"), self._name(existing)
        self._put(events, name, properties)
        self._targets(events, name, existing.properties, properties)
        self._retag(context, existing, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        events, name, bus = (
            context.client("events"),
            self._name(existing),
            only(existing.properties, "EventBusName"),
        )
        told = found(events.list_targets_by_rule, Rule=name, **bus) or {}
        if told.get("Targets"):
            events.remove_targets(Rule=name, Ids=[target["Id"] for target in told["Targets"]], **bus)
        events.delete_rule(Name=name, **bus)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        events, name, bus = (
            context.client("events"),
            self._name(existing),
            only(existing.properties, "EventBusName"),
        )
        answer = found(events.describe_rule, Name=name, **bus)
        if answer is None:
            return None
        targets = events.list_targets_by_rule(Rule=name, **bus)["Targets"]
        return known(
            **only(answer, *self._NAMES),
            EventPattern=document_of(answer.get("EventPattern")),
            Targets=sorted(targets, key=lambda target: str(target["Id"])),
        )

    @staticmethod
    def _retag(context: Context, existing: Existing, properties: Properties) -> None:
        events, arn = context.client("events"), existing.attributes["Arn"]
        before, after = tag_mapping(existing.properties), context.tags(properties)
        if gone := sorted(set(before) - set(after)):
            events.untag_resource(ResourceARN=arn, TagKeys=gone)
        if after and after != before:
            events.tag_resource(ResourceARN=arn, Tags=context.tag_list(properties))

    def _put(self, events: Any, name: str, properties: Properties, **more: Any) -> str:
        request = only(properties, *self._NAMES, "EventBusName")
        if "EventPattern" in properties:
            request["EventPattern"] = text_of(properties["EventPattern"])
        return str(events.put_rule(Name=name, **request, **more)["RuleArn"])

    @staticmethod
    def _targets(events: Any, name: str, old: Properties, new: Properties) -> None:
        bus = only(new, "EventBusName")
        before, after = ({t["Id"]: t for t in p.get("Targets") or []} for p in (old, new))
        if set(before) - set(after):
            events.remove_targets(Rule=name, Ids=sorted(set(before) - set(after)), **bus)
        if after:
            answer = events.put_targets(Rule=name, Targets=list(after.values()), **bus)
            for refused in answer.get("FailedEntries", []):
                raise ResourceFailedError(f"target {refused['TargetId']}: {refused.get('ErrorMessage')}")

    @staticmethod
    def _name(existing: Existing) -> str:
        return existing.physical_id.split("|")[-1]


MODELS = (Rule(),)
