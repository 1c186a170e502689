"""Checks of existing buckets: existence, policy, key and versioning."""

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
from scripts.cli.preflight.profile_values import values_of_form
from scripts.cli.preflight.recorded import same

_HARMLESS = frozenset({"aws:securetransport", "s3:tlsversion", "aws:principalorgid"})
"""A Deny statement with these condition keys (TLS, the organization) does not affect FSx and nodes."""

_USED = ("s3:GetObject", "s3:ListBucket", "s3:PutObject", "s3:GetBucketLocation")
"""Some of the actions that FSx and nodes use on a bucket
(https://docs.aws.amazon.com/fsx/latest/LustreGuide/s3-validation-error.html)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A bucket that the profile names; `link` is its data repository association, if it has one."""

    name: str
    region: str
    at: Path
    link: DataRepository | None = None


def buckets_of(design: Design) -> tuple[Bucket, ...]:
    """Return every existing general purpose bucket of the profile, once."""
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
    for folder, at in values_of_form(profile, S3_FOLDER).items():
        name = folder.removeprefix("s3://").partition("/")[0]
        yield Bucket(name=name, region=profile.region, at=at)
    sessions = profile.access.sessions if profile.access else None
    if sessions is not None and sessions.bucket is not None:
        at = ("access", "sessions", "bucket", "name")
        yield Bucket(name=sessions.bucket.name, region=profile.region, at=at)


def checks(place: Place) -> Iterator[Check]:
    """Yield the checks of existing buckets."""
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
        answer = ask("s3", "HeadBucket", Bucket=bucket.name)
    except MissingError:
        message = f"the bucket {bucket.name} does not exist"
        hint = f"use an existing bucket{', or write `new`' if bucket.link else ''}"
        return wrong("does not exist", codes.BUCKET, bucket.at, message, hint)
    region = answer.get("BucketRegion")
    if region in (None, bucket.region):
        return Verdict(f"exists, in {region or bucket.region}" if region else "exists")
    hint = f"set `bucket_region: {region}`, or use a bucket in {bucket.region}"
    message = f"the bucket {bucket.name} is in {region}, but the profile declares {bucket.region}"
    hint = hint if bucket.link else f"use a bucket in {bucket.region}"
    return wrong(f"in {region}", codes.BUCKET, bucket.at, message, hint)


def _of_bucket(bucket: Bucket, operation: str, ask: Ask) -> Mapping[str, Any] | None:
    """Return a setting of a bucket; None if it is not set. Raises UnansweredError for a missing bucket."""
    try:
        answer: Mapping[str, Any] = ask("s3", operation, Bucket=bucket.name)
    except MissingError as error:
        if str(error).startswith("NoSuchBucket:"):
            raise UnansweredError("the bucket does not exist") from None
        return None
    return answer


def _policy(bucket: Bucket, ask: Ask) -> Verdict:
    answer = _of_bucket(bucket, "GetBucketPolicy", ask)
    if answer is None:
        return Verdict("no policy")
    against = [statement for statement in statements(answer["Policy"]) if _keeps_out(statement)]
    if not against:
        return Verdict("no statement denies access")
    found = []
    for statement in against:
        conditions = ", ".join(sorted({key for key in _conditions(statement)}))
        when = f", with a condition on {conditions}" if conditions else ""
        sid = f"statement {statement['Sid']}" if "Sid" in statement else "a statement without Sid"
        actions = ", ".join(_list(statement, "Action")) or "actions"
        message = f"the policy of the bucket {bucket.name} denies {actions} to all principals{when} ({sid})"
        hint = "exclude the cluster's roles and FSx's service-linked role with conditions on aws:PrincipalArn and aws:PrincipalIsAWSService"
        found.append(Found(codes.BUCKET_POLICY, bucket.at, message, hint))
    return Verdict(f"{len(against)} {'denial' if len(against) == 1 else 'denials'}", tuple(found))


def statements(policy: str) -> list[Mapping[str, Any]]:
    """Return the statements of a policy document."""
    answer = json.loads(policy).get("Statement", [])
    return [answer] if isinstance(answer, dict) else list(answer)


def _list(statement: Mapping[str, Any], key: str) -> list[str]:
    answer = statement.get(key, [])
    return [answer] if isinstance(answer, str) else [str(one) for one in answer]


def everybody(statement: Mapping[str, Any]) -> bool:
    """Return whether a statement applies to every principal."""
    principal = statement.get("Principal")
    named = principal.get("AWS") if isinstance(principal, dict) else principal
    return "*" in (named if isinstance(named, list) else [named])


def allows(statement: Mapping[str, Any], *actions: str) -> bool:
    """Return whether a statement contains one of the actions; the comparison ignores case."""
    patterns = [one.lower() for one in _list(statement, "Action")]
    return any(fnmatch.fnmatchcase(action.lower(), one) for action in actions for one in patterns)


def _conditions(statement: Mapping[str, Any]) -> Iterator[str]:
    for keys in (statement.get("Condition") or {}).values():
        yield from keys


def _keeps_out(statement: Mapping[str, Any]) -> bool:
    if statement.get("Effect") != "Deny" or not everybody(statement) or not allows(statement, *_USED):
        return False
    conditions = {key.lower() for key in _conditions(statement)}
    # a statement is harmless if one of its conditions never matches the cluster
    return not conditions & _HARMLESS


def _key(bucket: Bucket, link: DataRepository, ask: Ask) -> Verdict:
    answer = _of_bucket(bucket, "GetBucketEncryption", ask)
    rules = answer["ServerSideEncryptionConfiguration"]["Rules"] if answer else []
    default: Mapping[str, Any] = next(
        (one.get("ApplyServerSideEncryptionByDefault", {}) for one in rules), {}
    )
    key = str(default.get("KMSMasterKeyID") or "") if "kms" in str(default.get("SSEAlgorithm")) else ""
    wanted = link.bucket_key_arn or ""
    if key == wanted or same(key, wanted) or (key and wanted.endswith(f":key/{key}")):
        return Verdict(key or str(default.get("SSEAlgorithm", "none")))
    at = (*bucket.at[:-1], "bucket_key_arn")
    if not key:
        message = f"the bucket {bucket.name} is encrypted with {default.get('SSEAlgorithm', 'no key')}, but the profile declares the key {wanted}"
        hint = "remove `bucket_key_arn`, or encrypt the bucket with the key in the profile"
    else:
        message = f"the bucket {bucket.name} is encrypted with the key {key}, but the profile declares {wanted or 'no key'}"
        hint = (
            f"set `bucket_key_arn{': ' + key + '`' if key.startswith('arn:') else '` to the ARN of this key'}"
        )
    return wrong(key or "no key", codes.BUCKET_KEY, at, message, hint)


def _versions(bucket: Bucket, ask: Ask) -> Verdict:
    answer = _of_bucket(bucket, "GetBucketVersioning", ask) or {}
    status = str(answer.get("Status", "off"))
    if status == "Enabled":
        return Verdict("enabled")
    message = f"versioning of the bucket {bucket.name} is {status.lower()}, but the bucket receives exports"
    hint = f"run `aws s3api put-bucket-versioning --bucket {bucket.name} --versioning-configuration Status=Enabled`"
    return wrong(status.lower(), codes.BUCKET_VERSIONS, bucket.at, message, hint)
