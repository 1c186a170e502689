"""Permissions that FSx needs on an existing bucket before it can create an association."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from config.profile.model import Profile
from config.profile.storage.lustre import NewLustre
from config.profile.storage.repository import DataRepository

SOURCES = (
    "https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html",
    "https://docs.aws.amazon.com/fsx/latest/LustreGuide/s3-validation-error.html",
)

OF_THE_CLUSTER = "ACCOUNT-OF-THE-CLUSTER"
"""Placeholder for the account ID if the profile does not set it."""

_SERVICE = "s3.data-source.lustre.fsx.amazonaws.com"
_BUCKET_ACTIONS = ("s3:Get*", "s3:List*", "s3:PutBucketNotification")
_OBJECT_ACTIONS = ("s3:AbortMultipartUpload", "s3:DeleteObject", "s3:Get*", "s3:List*", "s3:PutObject")
_KEY_ACTIONS = ("kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*")


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketAccess:
    """Permissions that one association needs on an existing bucket (STORAGE-07).

    `deployer` are the permissions of the role that creates the stack. `bucket_policy` and `key_policy` are
    the statements to add to the policies of the bucket and the key, empty if the permissions in the account
    suffice. `grant` is the command that allows the file system to use a key in another account. The command
    contains the file system ID. First deploy without the association, then run the command, then deploy with
    the association.
    """

    path: str
    bucket: str
    deployer: tuple[dict[str, Any], ...]
    bucket_policy: tuple[dict[str, Any], ...]
    key_policy: tuple[dict[str, Any], ...]
    grant: str | None
    sources: tuple[str, ...] = SOURCES


def bucket_access(profile: Profile, lustre: NewLustre) -> tuple[BucketAccess, ...]:
    """Return the permissions that the associations of one file system need on existing buckets."""
    return tuple(_of(profile, link) for link in lustre.data_repositories if link.bucket != "new")


def _of(profile: Profile, link: DataRepository) -> BucketAccess:
    partition = _partition(profile.region)
    account = profile.account or OF_THE_CLUSTER
    elsewhere = link.bucket_account is not None and link.bucket_account != profile.account
    bucket = f"arn:{partition}:s3:::{link.bucket}"
    objects = f"{bucket}/{link.prefix.strip('/')}/*" if link.prefix.strip("/") else f"{bucket}/*"
    roles = f"arn:{partition}:iam::{account}:role/aws-service-role/{_SERVICE}"
    key = link.bucket_key_arn
    return BucketAccess(
        path=link.path,
        bucket=link.bucket,
        deployer=(
            _statement(["s3:Get*", "s3:List*", "s3:PutObject"], [bucket, objects]),
            _statement(
                ["iam:AttachRolePolicy", "iam:CreateServiceLinkedRole", "iam:PutRolePolicy"], [f"{roles}/*"]
            ),
        ),
        bucket_policy=_across_accounts(partition, account, bucket, objects) if elsewhere else (),
        key_policy=(_key_statement(account, bucket, link.bucket_region or profile.region),)
        if key and not elsewhere
        else (),
        grant=_grant(key, roles) if key and elsewhere else None,
    )


def _across_accounts(partition: str, account: str, bucket: str, objects: str) -> tuple[dict[str, Any], ...]:
    principal = {"AWS": f"arn:{partition}:iam::{account}:root"}
    return (
        _statement(_BUCKET_ACTIONS, [bucket], principal),
        _statement(_OBJECT_ACTIONS, [objects], principal),
    )


def _key_statement(account: str, bucket: str, region: str) -> dict[str, Any]:
    """Return a statement for all file systems in the account; FSx chooses their role names at creation."""
    return {
        **_statement(_KEY_ACTIONS, ["*"], {"AWS": "*"}),
        "Condition": {
            "StringEquals": {
                "kms:CallerAccount": account,
                "kms:ViaService": f"s3.{region}.amazonaws.com",
            },
            "StringLike": {
                "aws:userid": "*:FSx",
                # with an S3 Bucket Key the context is the bucket, else each object
                "kms:EncryptionContext:aws:s3:arn": [bucket, f"{bucket}/*"],
            },
        },
    }


def _grant(key: str, roles: str) -> str:
    operations = (
        "Decrypt Encrypt GenerateDataKey GenerateDataKeyWithoutPlaintext DescribeKey "
        "ReEncryptFrom ReEncryptTo"
    )
    return (
        f"aws kms create-grant --region {key.split(':')[3]} --key-id {key} "
        f"--grantee-principal {roles}/AWSServiceRoleForFSxS3Access_FILE-SYSTEM-ID --operations {operations}"
    )


def _statement(
    actions: list[str] | tuple[str, ...], resources: list[str], principal: dict[str, str] | None = None
) -> dict[str, Any]:
    who = {"Principal": principal} if principal else {}
    return {"Effect": "Allow", **who, "Action": list(actions), "Resource": resources}


def _partition(region: str) -> str:
    if region.startswith("us-gov-"):
        return "aws-us-gov"
    return "aws-cn" if region.startswith("cn-") else "aws"
