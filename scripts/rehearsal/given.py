"""What a profile says exists already: the embedded cloud is given it before a deployment."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from config.cluster import load_cluster
from config.design.network import NetworkPlan
from scripts.cloud.extensions.given_ids import TAG

from .errors import RehearsalError
from .progress import step
from .target import Target


def make_given_network(profile: str, orchestrator: str | None, target: Target) -> None:
    """Make the VPC and the subnets of a profile with an existing network, unless they are there."""
    design = load_cluster(profile, orchestrator=orchestrator).design
    network = design.network if design and design.owns_network else None
    if target.cloud is None or design is None or network is None:
        return
    make_network(target.client("ec2", design.profile.region), network)


def make_network(ec2: Any, network: NetworkPlan) -> None:
    """Make what is missing of a network that exists by its profile; nothing for one of the profile's own."""
    if network.existing_vpc_id is None:
        return
    there = {vpc["VpcId"] for vpc in ec2.describe_vpcs()["Vpcs"]}
    there |= {subnet["SubnetId"] for subnet in ec2.describe_subnets()["Subnets"]}
    missing = [subnet for subnet in network.subnets if subnet.id not in there]
    if network.existing_vpc_id in there and not missing:
        return
    try:
        with step(f"make {network.existing_vpc_id}, which the profile says exists"):
            if network.existing_vpc_id not in there:
                tags = _given("vpc", network.existing_vpc_id)
                ec2.create_vpc(CidrBlock=network.vpc_cidr, TagSpecifications=tags)
            for subnet in missing:
                ec2.create_subnet(
                    VpcId=network.existing_vpc_id,
                    CidrBlock=subnet.cidr,
                    TagSpecifications=_given("subnet", subnet.id or ""),
                    **{"AvailabilityZoneId" if subnet.zone_is_id else "AvailabilityZone": subnet.zone},
                )
    except ClientError as error:
        reason = error.response["Error"]["Message"].partition(". ")[0]
        raise RehearsalError(f"the embedded cloud cannot play this network: {reason[:200]}") from None


def _given(kind: str, identifier: str) -> list[dict[str, object]]:
    return [{"ResourceType": kind, "Tags": [{"Key": TAG, "Value": identifier}]}]
