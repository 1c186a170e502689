"""What a profile states by an id or an ARN whose form tells what it is: keys, secrets, images and so on."""

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


def stated(profile: Profile, form: str) -> list[str]:
    """Every value of a profile with this form, whatever the key: what a new key names is found as well."""
    return sorted({value for value in _texts(profile.model_dump()) if re.fullmatch(form, value)})


def keys(profile: Profile) -> list[str]:
    """KMS keys, by ARN."""
    return stated(profile, KMS_KEY_ARN)


def secrets(profile: Profile) -> list[str]:
    """Secrets, by ARN."""
    return stated(profile, SECRET_ARN)


def topics(profile: Profile) -> list[str]:
    """Topics of SNS, by ARN."""
    return stated(profile, TOPIC_ARN)


def images(profile: Profile) -> list[str]:
    """Images, by id."""
    return stated(profile, AMI_ID)


def roles(profile: Profile) -> list[str]:
    """Roles of people and machines, by ARN; nobody asks whether a user is there."""
    return [arn for arn in stated(profile, IAM_PRINCIPAL) if ":role/" in arn]


def boundaries(profile: Profile) -> list[str]:
    """The policy that bounds every role of the stack, by ARN or name; one of AWS is there anyway."""
    stated_one = profile.deployment.permissions_boundary if profile.deployment else None
    return [stated_one] if stated_one and "::aws:policy/" not in stated_one else []


def groups(profile: Profile) -> list[str]:
    """Security groups, by id."""
    return stated(profile, SECURITY_GROUP_ID)


def subnets(profile: Profile) -> list[str]:
    """Subnets, by id."""
    return stated(profile, SUBNET_ID)


def folder_buckets(profile: Profile) -> list[str]:
    """Buckets in whose folders the profile's scripts are."""
    return sorted({folder.removeprefix("s3://").partition("/")[0] for folder in stated(profile, S3_FOLDER)})


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, Sequence):
        for one in value:
            yield from _texts(one)
