"""Directory buckets of S3 Express One Zone."""

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
    text_of,
)
from scripts.cloud.template.errors import ResourceFailedError

from .s3_lifecycle import lifecycle_of, lifecycle_rule
from .s3_settings import encryption_of, encryption_rules


class DirectoryBucket(Model):
    """A bucket in one zone; its name ends with the zone's id and `--x-s3`."""

    type = "AWS::S3Express::DirectoryBucket"

    def create(self, context: Context, properties: Properties) -> Created:
        s3, zone_id = context.client("s3"), properties["LocationName"]
        ending = f"--{zone_id}--x-s3"
        name = properties.get("BucketName") or context.generated_name(63 - len(ending), lower=True) + ending
        if not name.endswith(ending):
            raise ResourceFailedError(
                f"the name of a directory bucket in {zone_id} ends with {ending}: {name}"
            )
        zones = context.client("ec2").describe_availability_zones(ZoneIds=[zone_id])["AvailabilityZones"]
        if not zones:
            raise ResourceFailedError(f"there is no zone {zone_id} in {context.region}")
        if found(s3.get_bucket_location, Bucket=name):
            raise ResourceFailedError(f"{name} already exists")
        kind = "LocalZone" if zones[0].get("ZoneType") == "local-zone" else "AvailabilityZone"
        configuration = {
            "Location": {"Type": kind, "Name": zone_id},
            "Bucket": {"Type": "Directory", "DataRedundancy": properties["DataRedundancy"]},
        }
        s3.create_bucket(Bucket=name, CreateBucketConfiguration=configuration)
        context.claim(name)
        self._settings(s3, name, {}, properties)
        arn = f"arn:aws:s3express:{context.region}:{context.account_id}:bucket/{name}"
        return Created(name, {"Arn": arn, "AvailabilityZoneName": zones[0]["ZoneName"]})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        self._settings(context.client("s3"), existing.physical_id, existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("s3").delete_bucket(Bucket=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        s3, name = context.client("s3"), existing.physical_id
        if not found(s3.get_bucket_location, Bucket=name):
            return None
        encryption = encryption_of(found(s3.get_bucket_encryption, Bucket=name))
        rules = (found(s3.get_bucket_lifecycle_configuration, Bucket=name) or {}).get("Rules", [])
        lifecycle = known(Rules=[lifecycle_of(rule) for rule in rules])
        return known(
            LocationName=name.split("--")[-2], BucketEncryption=encryption, LifecycleConfiguration=lifecycle
        )

    @staticmethod
    def _settings(s3: Any, name: str, old: Properties, new: Properties) -> None:
        encryption = new.get("BucketEncryption")
        if encryption:
            rules = encryption_rules(encryption)
            s3.put_bucket_encryption(Bucket=name, ServerSideEncryptionConfiguration={"Rules": rules})
        elif "BucketEncryption" in old:
            s3.delete_bucket_encryption(Bucket=name)
        lifecycle = new.get("LifecycleConfiguration")
        if lifecycle:
            rules = [lifecycle_rule(rule) for rule in lifecycle["Rules"]]
            s3.put_bucket_lifecycle_configuration(Bucket=name, LifecycleConfiguration={"Rules": rules})
        elif "LifecycleConfiguration" in old:
            s3.delete_bucket_lifecycle(Bucket=name)


class BucketPolicy(Model):
    """The policy of a directory bucket."""

    type = "AWS::S3Express::BucketPolicy"

    def create(self, context: Context, properties: Properties) -> Created:
        self._put(context, properties)
        return Created(properties["Bucket"])

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        self._put(context, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("s3").delete_bucket_policy(Bucket=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("s3").get_bucket_policy, Bucket=existing.physical_id)
        return None if answer is None else {"PolicyDocument": document_of(answer["Policy"])}

    @staticmethod
    def _put(context: Context, properties: Properties) -> None:
        text = text_of(properties["PolicyDocument"])
        context.client("s3").put_bucket_policy(Bucket=properties["Bucket"], Policy=text)


MODELS = (DirectoryBucket(), BucketPolicy())
