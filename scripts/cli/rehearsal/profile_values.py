"""Find ids and ARNs in a profile by their form: ARNs of keys and secrets, ids of images, and others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from config.profile.base import (
    AMI_ID,
    IAM_PRINCIPAL,
    KMS_KEY_ARN,
    S3_FOLDER,
    SECRET_ARN,
    SECURITY_GROUP_ID,
    SUBNET_ID,
    TOPIC_ARN,
)
from config.profile.model import Profile


def values_of_form(profile: Profile, form: str) -> list[str]:
    """Return every value that has this form under any key, so that values of new keys are included."""
    return sorted({value for value in _texts(profile.model_dump()) if re.fullmatch(form, value)})


def keys(profile: Profile) -> list[str]:
    """Return the ARNs of KMS keys."""
    return values_of_form(profile, KMS_KEY_ARN)


def secrets(profile: Profile) -> list[str]:
    """Return the ARNs of secrets."""
    return values_of_form(profile, SECRET_ARN)


def topics(profile: Profile) -> list[str]:
    """Return the ARNs of SNS topics."""
    return values_of_form(profile, TOPIC_ARN)


def images(profile: Profile) -> list[str]:
    """Return the ids of images."""
    return values_of_form(profile, AMI_ID)


def roles(profile: Profile) -> list[str]:
    """Return the ARNs of roles. ARNs of IAM users are left out, because no service checks them."""
    return [arn for arn in values_of_form(profile, IAM_PRINCIPAL) if ":role/" in arn]


def boundaries(profile: Profile) -> list[str]:
    """Return the permissions boundary as its ARN or name; empty if it is an AWS managed policy."""
    declared_one = profile.deployment.permissions_boundary if profile.deployment else None
    return [declared_one] if declared_one and "::aws:policy/" not in declared_one else []


def groups(profile: Profile) -> list[str]:
    """Return the ids of security groups."""
    return values_of_form(profile, SECURITY_GROUP_ID)


def subnets(profile: Profile) -> list[str]:
    """Return the ids of subnets."""
    return values_of_form(profile, SUBNET_ID)


def folder_buckets(profile: Profile) -> list[str]:
    """Return the buckets that contain the profile's scripts."""
    return sorted(
        {folder.removeprefix("s3://").partition("/")[0] for folder in values_of_form(profile, S3_FOLDER)}
    )


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, Sequence):
        for one in value:
            yield from _texts(one)
