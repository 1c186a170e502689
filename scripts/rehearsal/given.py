"""What a profile says exists already: the embedded cloud is given it before a deployment."""

from __future__ import annotations

from config.cluster import load_cluster
from scripts.cloud.extensions.given_ids import TAG

from .progress import step
from .target import Target


def make_given_network(profile: str, orchestrator: str | None, target: Target) -> None:
    """Make the VPC and the subnets of a profile with an existing network, unless they are there."""
    design = load_cluster(profile, orchestrator=orchestrator).design
    network = design.network if design and design.owns_network else None
    if target.cloud is None or design is None or network is None or network.existing_vpc_id is None:
        return
    ec2 = target.client("ec2", design.profile.region)
    known = {vpc["VpcId"] for vpc in ec2.describe_vpcs()["Vpcs"]}
    if network.existing_vpc_id in known:
        return
    with step(f"make {network.existing_vpc_id}, which the profile says exists"):
        ec2.create_vpc(CidrBlock=network.vpc_cidr, TagSpecifications=_given("vpc", network.existing_vpc_id))
        for subnet in network.subnets:
            zone = {"AvailabilityZoneId" if subnet.zone_is_id else "AvailabilityZone": subnet.zone}
            ec2.create_subnet(
                VpcId=network.existing_vpc_id,
                CidrBlock=subnet.cidr,
                TagSpecifications=_given("subnet", subnet.id or ""),
                **zone,
            )


def _given(kind: str, identifier: str) -> list[dict[str, object]]:
    return [{"ResourceType": kind, "Tags": [{"Key": TAG, "Value": identifier}]}]
