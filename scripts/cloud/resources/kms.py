"""Keys and their aliases, over moto's KMS."""

# ruff: noqa: D102 - create, update and delete are described by Model

from __future__ import annotations

import json
from typing import Any

from .base import Context, Created, Existing, Model, Properties, only


def _policy(properties: Properties) -> dict[str, str]:
    policy = properties.get("KeyPolicy")
    return {} if policy is None else {"Policy": policy if isinstance(policy, str) else json.dumps(policy)}


class Key(Model):
    """A key; deleted after the waiting time that its properties give."""

    type = "AWS::KMS::Key"

    def create(self, context: Context, properties: Properties) -> Created:
        kms = context.client("kms")
        tags = [{"TagKey": key, "TagValue": value} for key, value in sorted(context.tags(properties).items())]
        key = kms.create_key(
            **only(properties, "Description", "KeyUsage", "KeySpec", "MultiRegion"),
            **_policy(properties),
            Tags=tags,
        )["KeyMetadata"]
        context.claim(key["KeyId"])
        self._rotation(kms, key["KeyId"], properties)
        return Created(key["KeyId"], {"Arn": key["Arn"], "KeyId": key["KeyId"]})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        kms = context.client("kms")
        self._rotation(kms, existing.physical_id, properties)
        kms.update_key_description(KeyId=existing.physical_id, Description=properties.get("Description", ""))
        if _policy(properties):
            kms.put_key_policy(KeyId=existing.physical_id, PolicyName="default", **_policy(properties))
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        days = existing.properties.get("PendingWindowInDays", 30)
        context.client("kms").schedule_key_deletion(KeyId=existing.physical_id, PendingWindowInDays=days)

    @staticmethod
    def _rotation(kms: Any, key_id: str, properties: Properties) -> None:
        if properties.get("EnableKeyRotation"):
            kms.enable_key_rotation(KeyId=key_id)
        else:
            kms.disable_key_rotation(KeyId=key_id)


class Alias(Model):
    """A name for a key."""

    type = "AWS::KMS::Alias"

    def create(self, context: Context, properties: Properties) -> Created:
        context.client("kms").create_alias(**only(properties, "AliasName", "TargetKeyId"))
        return Created(properties["AliasName"], {"AliasName": properties["AliasName"]})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        context.client("kms").update_alias(**only(properties, "AliasName", "TargetKeyId"))
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("kms").delete_alias(AliasName=existing.physical_id)


MODELS = (Key(), Alias())
