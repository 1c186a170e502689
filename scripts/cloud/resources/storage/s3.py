"""S3 buckets and bucket policies."""

# ruff: noqa: D102 - Model describes the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.api import ApiModel
from scripts.cloud.resources.base import Context, Created, Existing, Model, Properties, found, tag_mapping
from scripts.cloud.template.errors import ResourceFailedError

from .s3_settings import put_settings, read_settings


class Bucket(Model):
    """A bucket with encryption, versioning, public access settings, ownership, lifecycle and logging."""

    type = "AWS::S3::Bucket"

    def create(self, context: Context, properties: Properties) -> Created:
        s3 = context.client("s3")
        name = properties.get("BucketName") or context.generated_name(63, lower=True)
        where = {} if context.region == "us-east-1" else {"LocationConstraint": context.region}
        request: dict[str, Any] = {"CreateBucketConfiguration": where} if where else {}
        if properties.get("ObjectLockEnabled"):
            request["ObjectLockEnabledForBucket"] = True
        if any(bucket["Name"] == name for bucket in s3.list_buckets()["Buckets"]):
            raise ResourceFailedError(f"{name} already exists")
        s3.create_bucket(Bucket=name, **request)
        context.claim(name)
        put_settings(s3, name, {}, properties)
        if context.tags(properties):
            s3.put_bucket_tagging(Bucket=name, Tagging={"TagSet": context.tag_list(properties)})
        return Created(name, self._attributes(name, context))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        s3, name, before = context.client("s3"), existing.physical_id, existing.properties
        put_settings(s3, name, before, properties)
        wanted = context.tags(properties)
        if wanted:
            s3.put_bucket_tagging(Bucket=name, Tagging={"TagSet": context.tag_list(properties)})
        elif tag_mapping(before):
            s3.delete_bucket_tagging(Bucket=name)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("s3").delete_bucket(Bucket=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        s3, name = context.client("s3"), existing.physical_id
        if not found(s3.get_bucket_location, Bucket=name):
            return None
        tags = (found(s3.get_bucket_tagging, Bucket=name) or {}).get("TagSet", [])
        listed = {"Tags": sorted(tags, key=lambda tag: str(tag["Key"]))} if tags else {}
        return read_settings(s3, name) | listed

    @staticmethod
    def _attributes(name: str, context: Context) -> Properties:
        return {
            "Arn": f"arn:aws:s3:::{name}",
            "DomainName": f"{name}.s3.amazonaws.com",
            "RegionalDomainName": f"{name}.s3.{context.region}.amazonaws.com",
            "DualStackDomainName": f"{name}.s3.dualstack.{context.region}.amazonaws.com",
            "WebsiteURL": f"http://{name}.s3-website-{context.region}.amazonaws.com",
        }


class PolicyOfBucket(ApiModel):
    """The policy of a general purpose or directory bucket."""

    service, noun = "s3", "bucket_policy"
    creates = updates = "put_{}"
    reads = "get_{}"
    key = ("Bucket",)
    ref = "{Bucket}"

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        return {"Bucket": new["Bucket"], "Policy": new["PolicyDocument"]}

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        return super().properties(context, existing, {"PolicyDocument": record["Policy"]})


class BucketPolicy(PolicyOfBucket):
    """A bucket policy; its creation fails if the bucket already has one."""

    type = "AWS::S3::BucketPolicy"

    def create(self, context: Context, properties: Properties) -> Created:
        bucket = properties["Bucket"]
        if found(context.client("s3").get_bucket_policy, Bucket=bucket):
            raise ResourceFailedError(f"The bucket policy already exists on bucket {bucket}.")
        return super().create(context, properties)
