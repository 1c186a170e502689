"""Whether what a request names is there: services that moto plays alone take any subnet, group or bucket."""

from __future__ import annotations

from collections.abc import Iterable

from moto.ec2.models import ec2_backends
from moto.s3.models import s3_backends


def missing_network(account: str, region: str, subnets: Iterable[str], groups: Iterable[str]) -> list[str]:
    """The ids of subnets and security groups that are not in this account and Region."""
    ec2 = ec2_backends[account][region]
    known_subnets = {subnet.id for subnet in ec2.describe_subnets()}
    known_groups = {group.id for group in ec2.describe_security_groups()}
    gone = [subnet for subnet in subnets if subnet not in known_subnets]
    return gone + [group for group in groups if group not in known_groups]


def bucket_exists(account: str, bucket: str) -> bool:
    """Whether the account has this bucket."""
    return bucket in s3_backends[account]["aws"].buckets
