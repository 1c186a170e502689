"""What a profile says exists already: the embedded cloud is given it before a deployment."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from config.cluster import load_cluster
from config.profile.model import Profile
from config.profile.network import ExistingNetwork
from scripts.cloud.extensions.given_ids import TAG

from .errors import RehearsalError
from .progress import step
from .target import Target


def make_given_network(profile: str, orchestrator: str | None, target: Target) -> None:
    """Make the VPC and the subnets of a profile with an existing network, unless they are there."""
    design = load_cluster(profile, orchestrator=orchestrator).design
    if target.cloud is not None and design is not None:
        make_network(target.client("ec2", design.profile.region), design.profile)


def make_network(ec2: Any, profile: Profile) -> None:
    """Make what is missing of the network that a profile says exists."""
    network = profile.network
    if not isinstance(network, ExistingNetwork):
        return
    there = {vpc["VpcId"] for vpc in ec2.describe_vpcs()["Vpcs"]}
    there |= {subnet["SubnetId"] for subnet in ec2.describe_subnets()["Subnets"]}
    missing = [subnet for subnet in network.subnets if subnet.id not in there]
    if network.vpc_id in there and not missing:
        return
    try:
        with step(f"make {network.vpc_id}, which the profile says exists"):
            if network.vpc_id not in there:
                _make_vpc(ec2, network)
            for subnet in missing:
                zone = {"AvailabilityZone": subnet.availability_zone} if subnet.availability_zone else {}
                zone_id = {"AvailabilityZoneId": subnet.availability_zone_id} if not zone else {}
                ec2.create_subnet(
                    VpcId=network.vpc_id,
                    CidrBlock=subnet.cidr,
                    TagSpecifications=_given("subnet", subnet.id),
                    **zone,
                    **zone_id,
                )
    except ClientError as error:
        reason = error.response["Error"]["Message"].partition(". ")[0]
        raise RehearsalError(f"the embedded cloud cannot play this network: {reason[:200]}") from None


def _make_vpc(ec2: Any, network: ExistingNetwork) -> None:
    ec2.create_vpc(CidrBlock=network.vpc_cidr, TagSpecifications=_given("vpc", network.vpc_id))
    for block in network.vpc_secondary_cidrs:
        ec2.associate_vpc_cidr_block(VpcId=network.vpc_id, CidrBlock=block)


def _given(kind: str, identifier: str) -> list[dict[str, object]]:
    return [{"ResourceType": kind, "Tags": [{"Key": TAG, "Value": identifier}]}]
