"""S3 Express One Zone directory buckets."""

# ruff: noqa: D102 - Model describes the methods

from __future__ import annotations

from scripts.cloud.resources.base import Context, Created, Existing, Model, Properties, found
from scripts.cloud.template.errors import ResourceFailedError

from .s3 import PolicyOfBucket
from .s3_settings import put_settings, read_settings

_SETTINGS = ("BucketEncryption", "LifecycleConfiguration")


class DirectoryBucket(Model):
    """A bucket in one zone, whose name ends with the zone ID and `--x-s3`."""

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
            raise ResourceFailedError(f"the zone {zone_id} does not exist in {context.region}")
        if found(s3.get_bucket_location, Bucket=name):
            raise ResourceFailedError(f"{name} already exists")
        kind = "LocalZone" if zones[0].get("ZoneType") == "local-zone" else "AvailabilityZone"
        configuration = {
            "Location": {"Type": kind, "Name": zone_id},
            "Bucket": {"Type": "Directory", "DataRedundancy": properties["DataRedundancy"]},
        }
        s3.create_bucket(Bucket=name, CreateBucketConfiguration=configuration)
        context.claim(name)
        put_settings(s3, name, {}, properties, *_SETTINGS)
        arn = f"arn:aws:s3express:{context.region}:{context.account_id}:bucket/{name}"
        return Created(name, {"Arn": arn, "AvailabilityZoneName": zones[0]["ZoneName"]})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        s3, name = context.client("s3"), existing.physical_id
        put_settings(s3, name, existing.properties, properties, *_SETTINGS)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("s3").delete_bucket(Bucket=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        s3, name = context.client("s3"), existing.physical_id
        if not found(s3.get_bucket_location, Bucket=name):
            return None
        return {"LocationName": name.split("--")[-2], **read_settings(s3, name, *_SETTINGS)}


class BucketPolicy(PolicyOfBucket):
    """The policy of a directory bucket."""

    type = "AWS::S3Express::BucketPolicy"
