"""Custom::S3AutoDeleteObjects: empties a bucket before it is deleted (`auto_delete_objects=True`)."""

from __future__ import annotations

import json
from typing import Any

from botocore.exceptions import ClientError

from scripts.cloud.custom.providers import Behaviour, Call, Identity

from .responses import Result, answering

_TAG = "aws-cdk:auto-delete-objects"
IDENTITY = Identity(runtime="nodejs", resource_type="Custom::S3AutoDeleteObjects")


def _handle(call: Call) -> Result | None:
    kind, properties = call.event["RequestType"], call.event["ResourceProperties"]
    # for another bucket, CloudFormation then deletes the old id, which empties the old bucket
    if kind == "Update":
        old = call.event["OldResourceProperties"].get("BucketName")
        return {"PhysicalResourceId": properties.get("BucketName") or old}
    if kind == "Delete":
        _delete(call.environment.client("s3"), properties.get("BucketName"))
    return None


def _delete(s3: Any, bucket: str | None) -> None:
    if not bucket:
        raise ValueError("No BucketName was provided.")
    try:
        tags = s3.get_bucket_tagging(Bucket=bucket)["TagSet"]
        if {"Key": _TAG, "Value": "true"} in tags:
            _deny_new_objects(s3, bucket)
            _empty(s3, bucket)
    except ClientError as error:
        if error.response["Error"]["Code"] != "NoSuchBucket":
            raise


def _deny_new_objects(s3: Any, bucket: str) -> None:
    try:
        policy = json.loads(s3.get_bucket_policy(Bucket=bucket)["Policy"])
        policy["Statement"].append(
            {
                "Principal": "*",
                "Effect": "Deny",
                "Action": ["s3:PutObject"],
                "Resource": [f"arn:aws:s3:::{bucket}/*"],
            }
        )
        s3.put_bucket_policy(Bucket=bucket, Policy=json.dumps(policy))
    except ClientError as error:
        if error.response["Error"]["Code"] == "NoSuchBucket":
            raise  # any other failure only means that new objects are not denied


def _empty(s3: Any, bucket: str) -> None:
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
        found = [*page.get("Versions", []), *page.get("DeleteMarkers", [])]
        objects = [{"Key": item["Key"], "VersionId": item["VersionId"]} for item in found]
        if objects:
            s3.delete_objects(Bucket=bucket, Delete={"Objects": objects})


BEHAVIOUR: Behaviour = answering(_handle)
