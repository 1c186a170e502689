"""Check that the resources in requests exist, because moto accepts any subnet, role or key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import ip_network
from typing import Any

from moto.ec2.models import ec2_backends
from moto.iam.models import iam_backends
from moto.kms.models import kms_backends
from moto.logs.models import logs_backends
from moto.s3.models import s3_backends
from moto.secretsmanager.models import secretsmanager_backends

from .records import short_id


def missing_network(account: str, region: str, subnets: Iterable[str], groups: Iterable[str]) -> list[str]:
    """Return the ids of subnets and security groups that do not exist in this account and Region."""
    known_subnets = {subnet.id for subnet in ec2_backends[account][region].describe_subnets()}
    known_groups = set(security_groups(account, region))
    missing = [subnet for subnet in subnets if subnet not in known_subnets]
    return missing + [group for group in groups if group not in known_groups]


def security_groups(account: str, region: str) -> Mapping[str, Any]:
    """Return the security groups of an account and Region by id."""
    groups = ec2_backends[account][region].groups
    return {group.id: group for in_vpc in list(groups.values()) for group in list(in_vpc.values())}


def subnets_of(account: str, region: str, ids: Iterable[str]) -> list[Any]:
    """Return the existing subnets with these ids."""
    wanted = set(ids)
    return [subnet for subnet in ec2_backends[account][region].describe_subnets() if subnet.id in wanted]


def address_in(account: str, region: str, subnet: str, seed: str) -> str:
    """Return a private address of a subnet, derived from the seed; AWS reserves the first four addresses."""
    network = ip_network(subnets_of(account, region, [subnet])[0].cidr_block)
    return str(network[4 + int(short_id(seed), 16) % (network.num_addresses - 5)])


def role_exists(account: str, arn: str) -> bool:
    """Return whether the account has the role; True for roles of other accounts."""
    if f"::{account}:" not in arn:
        return True
    return any(role.arn == arn for role in iam_backends[account]["aws"].roles.values())


def instance_profile(account: str, arn: str) -> Any | None:
    """Return the instance profile with this ARN; None if it does not exist."""
    profiles = iam_backends[account]["aws"].instance_profiles.values()
    return next((profile for profile in profiles if profile.arn == arn), None)


def key_exists(account: str, region: str, key: str) -> bool:
    """Return whether a KMS key, given by id, ARN or alias, is enabled."""
    if key.startswith("alias/aws/") or ":alias/aws/" in key:
        return True  # a service creates AWS managed keys at first use
    kms = kms_backends[account][region]
    found = kms.keys.get(key.split(":key/")[-1])
    if found is None and "alias/" in key:
        alias = "alias/" + key.split("alias/", 1)[1]
        found = next((k for k in kms.keys.values() if alias in k.aliases), None)
    return found is not None and found.key_state == "Enabled"


def secret_exists(account: str, region: str, arn: str) -> bool:
    """Return whether a secret exists; True for secrets of other accounts."""
    if f":{account}:" not in arn:
        return True
    secrets = secretsmanager_backends[account][region].secrets
    return any(secret.arn == arn for secret in list(secrets.values()))


def log_group_exists(account: str, region: str, arn: str) -> bool:
    """Return whether a log group exists, given by ARN with or without `:*`."""
    return arn.split(":log-group:")[-1].removesuffix(":*") in logs_backends[account][region].groups


def bucket_exists(account: str, bucket: str) -> bool:
    """Return whether the account has this bucket."""
    return bucket in s3_backends[account]["aws"].buckets


def launch_template_data(account: str, region: str, template: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the data of a launch template's version, by id or name; None if the version does not exist."""
    ec2 = ec2_backends[account][region]
    found = ec2.launch_templates.get(template.get("id") or "")
    if found is None and template.get("name"):
        found = ec2.launch_templates.get(ec2.launch_template_name_to_ids.get(template["name"], ""))
    version = str(template.get("version") or "$Default")
    if found is None or (version.isdigit() and not 0 < int(version) <= len(found.versions)):
        return None
    data: Mapping[str, Any] = found.get_version(version).data
    return data
