"""What an existing bucket must allow before a file system can be linked with it."""

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
"""Stands for the account where the profile does not state it."""

_SERVICE = "s3.data-source.lustre.fsx.amazonaws.com"
_BUCKET_ACTIONS = ("s3:Get*", "s3:List*", "s3:PutBucketNotification")
_OBJECT_ACTIONS = ("s3:AbortMultipartUpload", "s3:DeleteObject", "s3:Get*", "s3:List*", "s3:PutObject")
_KEY_ACTIONS = ("kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*")


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketAccess:
    """The access that one link needs to a bucket that exists (STORAGE-07).

    `deployer` is what whoever creates the stack must be allowed; `bucket_policy` and `key_policy` are the
    statements that those policies must hold, empty where the account's own permissions do; `grant` is the
    command that lets the file system use a key of another account. It names the file system, so it comes
    after a first deployment without the link, and before one with it.
    """

    path: str
    bucket: str
    deployer: tuple[dict[str, Any], ...]
    bucket_policy: tuple[dict[str, Any], ...]
    key_policy: tuple[dict[str, Any], ...]
    grant: str | None
    sources: tuple[str, ...] = SOURCES


def bucket_access(profile: Profile, lustre: NewLustre) -> tuple[BucketAccess, ...]:
    """The access that the links of one file system need to buckets that exist."""
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
    """One for every file system of the account: the role's name holds an id that is not known beforehand."""
    return {
        **_statement(_KEY_ACTIONS, ["*"], {"AWS": "*"}),
        "Condition": {
            "StringEquals": {
                "kms:CallerAccount": account,
                "kms:ViaService": f"s3.{region}.amazonaws.com",
            },
            "StringLike": {
                "aws:userid": "*:FSx",
                # the bucket itself where it has a bucket key, else each object
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
