"""Buckets and bucket policies, over S3."""

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
    tag_mapping,
    text_of,
)
from scripts.cloud.template.errors import ResourceFailedError

from .s3_settings import SETTINGS, read_settings


class Bucket(Model):
    """A bucket with its encryption, versioning, access block, ownership, lifecycle and logs."""

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
        for setting in SETTINGS:
            if setting.property in properties:
                setting.put(s3, name, properties[setting.property])
        if context.tags(properties):
            s3.put_bucket_tagging(Bucket=name, Tagging={"TagSet": context.tag_list(properties)})
        return Created(name, self._attributes(name, context))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        s3, name, before = context.client("s3"), existing.physical_id, existing.properties
        for setting in SETTINGS:
            old, new = (p.get(setting.property) for p in (before, properties))
            if new is not None and new != old:
                setting.put(s3, name, new)
            elif new is None and old is not None:
                setting.remove(s3, name)
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


class BucketPolicy(Model):
    """The policy of a bucket."""

    type = "AWS::S3::BucketPolicy"

    def create(self, context: Context, properties: Properties) -> Created:
        bucket = properties["Bucket"]
        if found(context.client("s3").get_bucket_policy, Bucket=bucket):
            raise ResourceFailedError(f"The bucket policy already exists on bucket {bucket}.")
        self._put(context, properties)
        return Created(bucket)

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        self._put(context, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("s3").delete_bucket_policy(Bucket=existing.properties["Bucket"])

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("s3").get_bucket_policy, Bucket=existing.properties["Bucket"])
        return None if answer is None else {"PolicyDocument": document_of(answer["Policy"])}

    @staticmethod
    def _put(context: Context, properties: Properties) -> None:
        text = text_of(properties["PolicyDocument"])
        context.client("s3").put_bucket_policy(Bucket=properties["Bucket"], Policy=text)


MODELS = (Bucket(), BucketPolicy())
