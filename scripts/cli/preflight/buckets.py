"""What is asked of buckets that exist: that they are there, who is kept out, their key, their versions."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from config.design.model import Design
from config.design.names import is_directory_bucket
from config.diagnostics import Path
from config.profile.base import S3_FOLDER
from config.profile.storage.repository import DataRepository
from config.rules.preflight import codes
from scripts.cli.preflight.account import partition_of
from scripts.cli.preflight.asking import Ask, MissingError, UnansweredError
from scripts.cli.preflight.checks import Check, Found, Verdict, check, needs, wrong
from scripts.cli.preflight.place import Place
from scripts.cli.preflight.recorded import same
from scripts.cli.preflight.stated import stated

_HARMLESS = frozenset({"aws:securetransport", "s3:tlsversion", "aws:principalorgid"})
"""Conditions of denials that keep out nobody who comes as FSx and nodes do: encrypted, and of the account."""

_USED = ("s3:GetObject", "s3:ListBucket", "s3:PutObject", "s3:GetBucketLocation")
"""Some of what FSx and nodes do with a bucket
(https://docs.aws.amazon.com/fsx/latest/LustreGuide/s3-validation-error.html)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A bucket that the profile names; `link` is the data repository of it, where there is one."""

    name: str
    region: str
    at: Path
    link: DataRepository | None = None


def buckets_of(design: Design) -> tuple[Bucket, ...]:
    """Every general purpose bucket that the profile says exists, once."""
    return tuple({one.name: one for one in reversed([*_buckets(design)])}.values())[::-1]


def _buckets(design: Design) -> Iterator[Bucket]:
    profile = design.profile
    for at, link in design.placed_repositories:
        if link.bucket != "new":
            region = link.bucket_region or profile.region
            yield Bucket(name=link.bucket, region=region, at=(*at, "bucket"), link=link)
    for number, mounted in enumerate(profile.storage.mountpoints if profile.storage else ()):
        if mounted.bucket != "s3-express" and not is_directory_bucket(mounted.bucket):
            at = ("storage", "mountpoints", number, "bucket")
            yield Bucket(name=mounted.bucket, region=profile.region, at=at)
    for folder, at in stated(profile, S3_FOLDER).items():
        name = folder.removeprefix("s3://").partition("/")[0]
        yield Bucket(name=name, region=profile.region, at=at)
    sessions = profile.access.sessions if profile.access else None
    if sessions is not None and sessions.bucket is not None:
        at = ("access", "sessions", "bucket", "name")
        yield Bucket(name=sessions.bucket.name, region=profile.region, at=at)


def checks(place: Place) -> Iterator[Check]:
    """All checks of buckets that exist."""
    for bucket in buckets_of(place.design):
        arn = f"arn:{partition_of(place.region)}:s3:::{bucket.name}"
        yield check("S3", f"the bucket {bucket.name}", needs("s3:ListBucket", arn), _there, bucket)
        yield check("S3", f"the policy of {bucket.name}", needs("s3:GetBucketPolicy", arn), _policy, bucket)
        if bucket.link is None:
            continue
        asked = needs("s3:GetEncryptionConfiguration", arn)
        yield check("S3", f"the key of {bucket.name}", asked, _key, bucket, bucket.link)
        if bucket.link.export_events:
            asked = needs("s3:GetBucketVersioning", arn)
            yield check("S3", f"versions in {bucket.name}", asked, _versions, bucket)


def _there(bucket: Bucket, ask: Ask) -> Verdict:
    try:
        told = ask("s3", "HeadBucket", Bucket=bucket.name)
    except MissingError:
        message = f"there is no bucket {bucket.name}"
        hint = f"write the name of one that is there{', or `new`' if bucket.link else ''}"
        return wrong("not there", codes.BUCKET, bucket.at, message, hint)
    region = told.get("BucketRegion")
    if region in (None, bucket.region):
        return Verdict(f"there, in {region or bucket.region}" if region else "there")
    hint = f"write `bucket_region: {region}`, or name a bucket of {bucket.region}"
    message = f"{bucket.name} is in {region}, the profile says {bucket.region}"
    hint = hint if bucket.link else f"name a bucket of {bucket.region}"
    return wrong(f"in {region}", codes.BUCKET, bucket.at, message, hint)


def _of_bucket(bucket: Bucket, operation: str, ask: Ask) -> Mapping[str, Any] | None:
    """What a bucket has of something; None for nothing. Of a bucket that is not there nothing is told."""
    try:
        told: Mapping[str, Any] = ask("s3", operation, Bucket=bucket.name)
    except MissingError as error:
        if str(error).startswith("NoSuchBucket:"):
            raise UnansweredError("the bucket is not there") from None
        return None
    return told


def _policy(bucket: Bucket, ask: Ask) -> Verdict:
    told = _of_bucket(bucket, "GetBucketPolicy", ask)
    if told is None:
        return Verdict("none")
    against = [statement for statement in statements(told["Policy"]) if _keeps_out(statement)]
    if not against:
        return Verdict("keeps nobody out")
    found = []
    for statement in against:
        conditions = ", ".join(sorted({key for key in _conditions(statement)}))
        when = f" by {conditions}" if conditions else ""
        sid = statement.get("Sid", "a statement without Sid")
        message = f"{bucket.name} denies {', '.join(_list(statement, 'Action')) or 'actions'} to everybody{when} ({sid})"
        hint = "let out the cluster's roles and FSx's service-linked role (aws:PrincipalArn, aws:PrincipalIsAWSService)"
        found.append(Found(codes.BUCKET_POLICY, bucket.at, message, hint))
    return Verdict(f"{len(against)} denials", tuple(found))


def statements(policy: str) -> list[Mapping[str, Any]]:
    """The statements of a policy's text."""
    told = json.loads(policy).get("Statement", [])
    return [told] if isinstance(told, dict) else list(told)


def _list(statement: Mapping[str, Any], key: str) -> list[str]:
    told = statement.get(key, [])
    return [told] if isinstance(told, str) else [str(one) for one in told]


def everybody(statement: Mapping[str, Any]) -> bool:
    """Whether a statement is about every principal."""
    principal = statement.get("Principal")
    named = principal.get("AWS") if isinstance(principal, dict) else principal
    return "*" in (named if isinstance(named, list) else [named])


def allows(statement: Mapping[str, Any], *actions: str) -> bool:
    """Whether one of the actions is among those of a statement; names of actions have no case."""
    patterns = [one.lower() for one in _list(statement, "Action")]
    return any(fnmatch.fnmatchcase(action.lower(), one) for action in actions for one in patterns)


def _conditions(statement: Mapping[str, Any]) -> Iterator[str]:
    for keys in (statement.get("Condition") or {}).values():
        yield from keys


def _keeps_out(statement: Mapping[str, Any]) -> bool:
    if statement.get("Effect") != "Deny" or not everybody(statement) or not allows(statement, *_USED):
        return False
    conditions = {key.lower() for key in _conditions(statement)}
    # all conditions of a statement must hold: one that never does for the cluster makes the denial harmless
    return not conditions & _HARMLESS


def _key(bucket: Bucket, link: DataRepository, ask: Ask) -> Verdict:
    told = _of_bucket(bucket, "GetBucketEncryption", ask)
    rules = told["ServerSideEncryptionConfiguration"]["Rules"] if told else []
    default: Mapping[str, Any] = next(
        (one.get("ApplyServerSideEncryptionByDefault", {}) for one in rules), {}
    )
    key = str(default.get("KMSMasterKeyID") or "") if "kms" in str(default.get("SSEAlgorithm")) else ""
    wanted = link.bucket_key_arn or ""
    if key == wanted or same(key, wanted) or (key and wanted.endswith(f":key/{key}")):
        return Verdict(key or str(default.get("SSEAlgorithm", "none")))
    at = (*bucket.at[:-1], "bucket_key_arn")
    if not key:
        message = f"{bucket.name} is encrypted with {default.get('SSEAlgorithm', 'no key')}, the profile says {wanted}"
        hint = "take `bucket_key_arn` out, or encrypt the bucket with that key"
    else:
        message = f"{bucket.name} is encrypted with {key}, the profile says {wanted or 'no key'}"
        hint = (
            f"write `bucket_key_arn: {key}`"
            if key.startswith("arn:")
            else "write its ARN as `bucket_key_arn`"
        )
    return wrong(key or "no key", codes.BUCKET_KEY, at, message, hint)


def _versions(bucket: Bucket, ask: Ask) -> Verdict:
    told = _of_bucket(bucket, "GetBucketVersioning", ask) or {}
    status = str(told.get("Status", "off"))
    if status == "Enabled":
        return Verdict("kept")
    message = f"versioning of {bucket.name} is {status.lower()}, and it is exported to"
    hint = (
        f"`aws s3api put-bucket-versioning --bucket {bucket.name} --versioning-configuration Status=Enabled`"
    )
    return wrong(status.lower(), codes.BUCKET_VERSIONS, bucket.at, message, hint)
