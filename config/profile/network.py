"""The network part of a profile."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import SUBNET_ID, VPC_ID, Cidr, Model, Sequence, Zone, ZoneId, ZoneName


class NewNetwork(Model):
    """A VPC of the cluster's own."""

    kind: Literal["new"]
    vpc_cidr: Annotated[
        Cidr, Field(description="IPv4 block of the VPC; the lower half is the primary subnet.")
    ]
    secondary_zones: Annotated[
        Sequence[Zone],
        Field(
            description="Zones (names or ids) of the further private subnets, for what needs a second zone."
        ),
    ] = ()
    closed: Annotated[
        bool,
        Field(description="True: no internet route; interface endpoints carry every service call instead."),
    ] = False
    flow_log_retention_days: Annotated[int, Field(description="Days that VPC flow logs are kept.")] = 90


class ExistingSubnet(Model):
    """A subnet that exists, with the facts that the rules need; the one of its zone that the cluster uses."""

    id: Annotated[str, Field(pattern=SUBNET_ID, description="Id of the subnet.")]
    cidr: Annotated[Cidr, Field(description="Its IPv4 block.")]
    availability_zone: Annotated[ZoneName | None, Field(description="Its zone by name.")] = None
    availability_zone_id: Annotated[ZoneId | None, Field(description="Its zone by id.")] = None
    public: Annotated[
        bool, Field(description="True: its way out is an internet gateway; nodes want a private one.")
    ] = False


class ExistingNetwork(Model):
    """A VPC that exists already; its facts are stated, never looked up."""

    kind: Literal["existing"]
    vpc_id: Annotated[str, Field(pattern=VPC_ID, description="Id of the VPC.")]
    vpc_cidr: Annotated[Cidr, Field(description="Its IPv4 block.")]
    vpc_secondary_cidrs: Annotated[
        Sequence[Cidr], Field(max_length=49, description="IPv4 blocks that the VPC has beside the first.")
    ] = ()
    subnets: Annotated[
        Sequence[ExistingSubnet],
        Field(
            min_length=1,
            description="Private subnets, one for each zone; the one in the profile's zone is the primary one.",
        ),
    ]


Network = Annotated[NewNetwork | ExistingNetwork, Field(discriminator="kind")]
