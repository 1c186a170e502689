"""Buckets and bucket policies, over moto's S3."""

# ruff: noqa: D102 - create, update and delete are described by Model

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scripts.cloudformation.errors import ResourceFailedError

from .base import Context, Created, Existing, Model, Properties, only

# settings whose API request carries the same words as the property
_SAME_WORDS = {
    "PublicAccessBlockConfiguration": ("put_public_access_block", "PublicAccessBlockConfiguration"),
    "VersioningConfiguration": ("put_bucket_versioning", "VersioningConfiguration"),
    "OwnershipControls": ("put_bucket_ownership_controls", "OwnershipControls"),
}


class Bucket(Model):
    """A bucket with its encryption, versioning, access block, ownership and lifecycle."""

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
        self._settings(s3, name, context, properties)
        return Created(name, self._attributes(name, context))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        s3, name = context.client("s3"), existing.physical_id
        if "BucketEncryption" in existing.properties and "BucketEncryption" not in properties:
            s3.delete_bucket_encryption(Bucket=name)
        if "LifecycleConfiguration" in existing.properties and "LifecycleConfiguration" not in properties:
            s3.delete_bucket_lifecycle(Bucket=name)
        self._settings(s3, name, context, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("s3").delete_bucket(Bucket=existing.physical_id)

    def _settings(self, s3: Any, name: str, context: Context, properties: Properties) -> None:
        for setting, (operation, parameter) in _SAME_WORDS.items():
            if setting in properties:
                getattr(s3, operation)(Bucket=name, **{parameter: properties[setting]})
        if "BucketEncryption" in properties:
            rules = properties["BucketEncryption"]["ServerSideEncryptionConfiguration"]
            s3.put_bucket_encryption(
                Bucket=name, ServerSideEncryptionConfiguration={"Rules": _encryption(rules)}
            )
        if "LifecycleConfiguration" in properties:
            rules = [_lifecycle(rule) for rule in properties["LifecycleConfiguration"]["Rules"]]
            s3.put_bucket_lifecycle_configuration(Bucket=name, LifecycleConfiguration={"Rules": rules})
        if "LoggingConfiguration" in properties:
            s3.put_bucket_logging(Bucket=name, BucketLoggingStatus=_logging(name, properties))
        if context.tags(properties):
            s3.put_bucket_tagging(Bucket=name, Tagging={"TagSet": context.tag_list(properties)})

    @staticmethod
    def _attributes(name: str, context: Context) -> Properties:
        return {
            "Arn": f"arn:aws:s3:::{name}",
            "DomainName": f"{name}.s3.amazonaws.com",
            "RegionalDomainName": f"{name}.s3.{context.region}.amazonaws.com",
            "DualStackDomainName": f"{name}.s3.dualstack.{context.region}.amazonaws.com",
        }


def _encryption(rules: list[Properties]) -> list[dict[str, Any]]:
    return [
        {
            ("ApplyServerSideEncryptionByDefault" if key == "ServerSideEncryptionByDefault" else key): value
            for key, value in rule.items()
            if key in ("ServerSideEncryptionByDefault", "BucketKeyEnabled")
        }
        for rule in rules
    ]


def _logging(name: str, properties: Properties) -> dict[str, Any]:
    """Without a destination a bucket logs to itself."""
    logging = properties["LoggingConfiguration"]
    target = logging.get("DestinationBucketName", name)
    return {"LoggingEnabled": {"TargetBucket": target, "TargetPrefix": logging.get("LogFilePrefix", "")}}


def _lifecycle(rule: Properties) -> dict[str, Any]:
    """A rule as the API has it: CloudFormation flattens filters and expirations."""
    result: dict[str, Any] = {"Status": rule["Status"], "Filter": {"Prefix": rule.get("Prefix", "")}}
    if "Id" in rule:
        result["ID"] = rule["Id"]
    expiration: Mapping[str, Any] = {
        api: rule[cfn]
        for cfn, api in (
            ("ExpirationInDays", "Days"),
            ("ExpirationDate", "Date"),
            ("ExpiredObjectDeleteMarker", "ExpiredObjectDeleteMarker"),
        )
        if cfn in rule
    }
    if expiration:
        result["Expiration"] = expiration
    if "AbortIncompleteMultipartUpload" in rule:
        result["AbortIncompleteMultipartUpload"] = rule["AbortIncompleteMultipartUpload"]
    old = rule.get("NoncurrentVersionExpiration")
    days = rule.get("NoncurrentVersionExpirationInDays") or (old or {}).get("NoncurrentDays")
    if days:
        keep = only(old or {}, "NewerNoncurrentVersions")
        result["NoncurrentVersionExpiration"] = {"NoncurrentDays": days, **keep}
    moves = rule.get("Transitions") or ([rule["Transition"]] if "Transition" in rule else [])
    if moves:
        result["Transitions"] = [
            {"Days": m["TransitionInDays"], "StorageClass": m["StorageClass"]} for m in moves
        ]
    return result


class BucketPolicy(Model):
    """The policy of a bucket."""

    type = "AWS::S3::BucketPolicy"

    def create(self, context: Context, properties: Properties) -> Created:
        policy = properties["PolicyDocument"]
        text = policy if isinstance(policy, str) else json.dumps(policy)
        context.client("s3").put_bucket_policy(Bucket=properties["Bucket"], Policy=text)
        return Created(properties["Bucket"])

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        return self.create(context, properties).attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("s3").delete_bucket_policy(Bucket=existing.properties["Bucket"])


MODELS = (Bucket(), BucketPolicy())
