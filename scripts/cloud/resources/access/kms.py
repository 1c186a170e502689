"""Keys and their aliases, over moto's KMS."""

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


def _policy(properties: Properties) -> dict[str, str]:
    policy = properties.get("KeyPolicy")
    return {} if policy is None else {"Policy": text_of(policy)}


def _tags(tags: dict[str, str]) -> list[dict[str, str]]:
    return [{"TagKey": key, "TagValue": value} for key, value in sorted(tags.items())]


class Key(Model):
    """A key; deleted after the waiting time that its properties give."""

    type = "AWS::KMS::Key"

    def create(self, context: Context, properties: Properties) -> Created:
        kms = context.client("kms")
        key = kms.create_key(
            **only(properties, "Description", "KeyUsage", "KeySpec", "MultiRegion"),
            **_policy(properties),
            Tags=_tags(context.tags(properties)),
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
        if properties.get("Enabled", True) != existing.properties.get("Enabled", True):
            change = kms.enable_key if properties.get("Enabled", True) else kms.disable_key
            change(KeyId=existing.physical_id)
        tags, wanted = tag_mapping(existing.properties), context.tags(properties)
        if set(tags) - set(wanted):
            kms.untag_resource(KeyId=existing.physical_id, TagKeys=sorted(set(tags) - set(wanted)))
        if wanted and wanted != tags:
            kms.tag_resource(KeyId=existing.physical_id, Tags=_tags(wanted))
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        days = existing.properties.get("PendingWindowInDays", 30)
        context.client("kms").schedule_key_deletion(KeyId=existing.physical_id, PendingWindowInDays=days)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        kms, key = context.client("kms"), {"KeyId": existing.physical_id}
        answer = found(kms.describe_key, **key)
        if answer is None or answer["KeyMetadata"]["KeyState"] == "PendingDeletion":
            return None
        told = answer["KeyMetadata"]
        tags = kms.list_resource_tags(**key)["Tags"]
        return known(
            **only(told, "Description", "Enabled", "KeySpec", "KeyUsage", "MultiRegion", "Origin"),
            EnableKeyRotation=kms.get_key_rotation_status(**key)["KeyRotationEnabled"],
            KeyPolicy=document_of(kms.get_key_policy(**key, PolicyName="default")["Policy"]),
            Tags=[{"Key": tag["TagKey"], "Value": tag["TagValue"]} for tag in tags],
        )

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

    def read(self, context: Context, existing: Existing) -> Properties | None:
        for alias in context.client("kms").get_paginator("list_aliases").paginate().search("Aliases"):
            if alias["AliasName"] == existing.physical_id:
                return {"TargetKeyId": alias["TargetKeyId"]}
        return None


MODELS = (Key(), Alias())
