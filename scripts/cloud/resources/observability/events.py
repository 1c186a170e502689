"""EventBridge rules and their targets."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.api import ApiModel
from scripts.cloud.resources.base import Context, Existing, Properties, found
from scripts.cloud.template.errors import ResourceFailedError


class Rule(ApiModel):
    """A rule on the default event bus or on another event bus."""

    type = "AWS::Events::Rule"
    service, noun = "events", "rule"
    creates = updates = "put_{}"
    named = ("Name", "Name", 64)
    key = ("Name", "Rule", "EventBusName:EventBusName")
    shown = ("RuleName",)
    unique = True

    def identity(self, context: Context, made: Properties) -> str:
        bus = made.get("EventBusName", "default")
        return str(made["Name"]) if bus == "default" else f"{bus}|{made['Name']}"

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        return super().attributes(context, existing, {**made, "RuleName": made["Name"]})

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        of_rule = self._of_rule(context, existing, properties)
        before, after = (
            {t["Id"]: t for t in p.get("Targets") or []} for p in (existing.properties, properties)
        )
        if set(before) - set(after):
            client.remove_targets(**of_rule, Ids=sorted(set(before) - set(after)))
        if after:
            answer = client.put_targets(**of_rule, Targets=list(after.values()))
            for refused in answer.get("FailedEntries", []):
                raise ResourceFailedError(f"target {refused['TargetId']}: {refused.get('ErrorMessage')}")

    def delete(self, context: Context, existing: Existing) -> None:
        events, of_rule = context.client("events"), self._of_rule(context, existing, existing.properties)
        record = found(events.list_targets_by_rule, **of_rule) or {}
        if record.get("Targets"):
            events.remove_targets(Ids=[target["Id"] for target in record["Targets"]], **of_rule)
        super().delete(context, existing)

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        of_rule = self._of_rule(context, existing, existing.properties)
        targets = context.client("events").list_targets_by_rule(**of_rule)["Targets"]
        in_order = sorted(targets, key=lambda target: str(target["Id"]))
        return super().properties(context, existing, {**record, "Targets": in_order})

    def _of_rule(self, context: Context, existing: Existing, properties: Properties) -> dict[str, Any]:
        return self.request(context, "list_targets_by_rule", Existing(existing.physical_id, properties, {}))
