"""Profile keys for the network."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import SUBNET_ID, VPC_ID, Cidr, Model, Sequence, Zone, ZoneId, ZoneName


class NewNetwork(Model):
    """A VPC that the stack creates."""

    kind: Literal["new"]
    vpc_cidr: Annotated[
        Cidr, Field(description="IPv4 CIDR block of the VPC; its lower half is the primary subnet.")
    ]
    secondary_zones: Annotated[
        Sequence[Zone],
        Field(
            description="Zones (names or ids) of additional private subnets, for resources that need a second zone."
        ),
    ] = ()
    closed: Annotated[
        bool,
        Field(
            description="True: no route to the internet; AWS services are reached through interface endpoints."
        ),
    ] = False
    flow_log_retention_days: Annotated[int, Field(description="Retention of VPC flow logs in days.")] = 90


class ExistingSubnet(Model):
    """An existing subnet, with the values that the rules check; the cluster uses one subnet in each zone."""

    id: Annotated[str, Field(pattern=SUBNET_ID, description="Id of the subnet.")]
    cidr: Annotated[Cidr, Field(description="IPv4 CIDR block of the subnet.")]
    availability_zone: Annotated[
        ZoneName | None, Field(description="Name of the subnet's Availability Zone.")
    ] = None
    availability_zone_id: Annotated[
        ZoneId | None, Field(description="Id of the subnet's Availability Zone.")
    ] = None
    public: Annotated[
        bool,
        Field(description="True: the subnet routes to an internet gateway. Nodes need a private subnet."),
    ] = False


class ExistingNetwork(Model):
    """An existing VPC; the profile sets its values, ultracluster does not query EC2."""

    kind: Literal["existing"]
    vpc_id: Annotated[str, Field(pattern=VPC_ID, description="Id of the VPC.")]
    vpc_cidr: Annotated[Cidr, Field(description="IPv4 CIDR block of the VPC.")]
    vpc_secondary_cidrs: Annotated[
        Sequence[Cidr], Field(max_length=49, description="Secondary IPv4 CIDR blocks of the VPC.")
    ] = ()
    subnets: Annotated[
        Sequence[ExistingSubnet],
        Field(
            min_length=1,
            description="Private subnets, one for each zone. The subnet in the profile's zone is the primary subnet.",
        ),
    ]


Network = Annotated[NewNetwork | ExistingNetwork, Field(discriminator="kind")]
