"""KMS keys and their aliases, on moto's KMS."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.api import ApiModel, retag
from scripts.cloud.resources.base import Context, Existing, Properties, text_of


class Key(ApiModel):
    """A key, which is deleted after the waiting period in its properties."""

    type = "AWS::KMS::Key"
    service, noun = "kms", "key"
    updates = "update_key_description"
    deletes = "schedule_key_deletion"
    key = ("KeyId", "PendingWindowInDays:PendingWindowInDays")
    ref = "{KeyId}"
    emptied = ("Description",)

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        policy = new.get("KeyPolicy")
        return new if policy is None else {**new, "Policy": policy}

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        key, old = {"KeyId": existing.physical_id}, existing.properties
        rotate = (
            client.enable_key_rotation if properties.get("EnableKeyRotation") else client.disable_key_rotation
        )
        rotate(**key)
        if old.get("KeyPolicy") and properties.get("KeyPolicy"):
            client.put_key_policy(**key, PolicyName="default", Policy=text_of(properties["KeyPolicy"]))
        if properties.get("Enabled", True) != old.get("Enabled", True):
            change = client.enable_key if properties.get("Enabled", True) else client.disable_key
            change(**key)

    def retag(self, context: Context, existing: Existing, properties: Properties) -> None:
        retag(context, "kms", existing.physical_id, existing.properties, properties)

    def described(self, context: Context, existing: Existing) -> dict[str, Any] | None:
        record = super().described(context, existing)
        return None if record is None or record["KeyState"] == "PendingDeletion" else record

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        kms, key = context.client("kms"), {"KeyId": existing.physical_id}
        more = {
            "EnableKeyRotation": kms.get_key_rotation_status(**key)["KeyRotationEnabled"],
            "KeyPolicy": kms.get_key_policy(**key, PolicyName="default")["Policy"],
            "Tags": [
                {"Key": t["TagKey"], "Value": t["TagValue"]} for t in kms.list_resource_tags(**key)["Tags"]
            ],
        }
        return super().properties(context, existing, {**record, **more})


class Alias(ApiModel):
    """An alias of a key."""

    type = "AWS::KMS::Alias"
    service, noun = "kms", "alias"
    reads = "list_aliases"
    key = ("AliasName",)
    ref = "{AliasName}"
    shown = ("AliasName",)
