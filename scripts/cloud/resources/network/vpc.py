"""VPCs, subnets and routes, on moto's EC2."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.api import ApiModel
from scripts.cloud.resources.base import Context, Created, Existing, Model, Properties, found, known, only
from scripts.cloud.template.errors import ResourceFailedError

from .tags import Ec2Model

_DNS = ("EnableDnsSupport", "EnableDnsHostnames")


class Vpc(Ec2Model):
    """A VPC with its DNS settings."""

    type = "AWS::EC2::VPC"
    noun = "vpc"
    key = ("VpcId",)
    ref = "{VpcId}"

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        ec2, inside = context.client("ec2"), [{"Name": "vpc-id", "Values": [existing.physical_id]}]
        more = {
            "DefaultSecurityGroup": ec2.describe_security_groups(Filters=inside)["SecurityGroups"][0][
                "GroupId"
            ],
            "DefaultNetworkAcl": ec2.describe_network_acls(Filters=inside)["NetworkAcls"][0]["NetworkAclId"],
            "CidrBlockAssociations": [a["AssociationId"] for a in made["CidrBlockAssociationSet"]],
        }
        return super().attributes(context, existing, {**made, **more}) | only(made, "CidrBlock")

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        for name, value in only(properties, *_DNS).items():
            client.modify_vpc_attribute(VpcId=existing.physical_id, **{name: {"Value": value}})

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        dns = {}
        for name in _DNS:
            request = {"VpcId": existing.physical_id, "Attribute": name[0].lower() + name[1:]}
            dns[name] = context.client("ec2").describe_vpc_attribute(**request)[name]["Value"]
        return super().properties(context, existing, {**record, **dns})


class VpcCidrBlock(ApiModel):
    """An additional CIDR block of a VPC."""

    type = "AWS::EC2::VPCCidrBlock"
    service, noun = "ec2", "vpc_cidr_block"
    creates, deletes = "associate_{}", "disassociate_{}"
    key = ("AssociationId",)
    ref = "{CidrBlockAssociation[AssociationId]}"
    update = Model.update

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("ec2").describe_vpcs, VpcIds=[existing.properties["VpcId"]])
        for block in answer["Vpcs"][0]["CidrBlockAssociationSet"] if answer else ():
            state = block.get("CidrBlockState", {}).get("State", "associated")
            if block["AssociationId"] == existing.physical_id and state == "associated":
                return only(block, "CidrBlock")
        return None


class Subnet(Ec2Model):
    """A subnet, in a zone given by name or by id."""

    type = "AWS::EC2::Subnet"
    noun = "subnet"
    key = ("SubnetId",)
    ref = "{SubnetId}"
    shown = ("VpcId", "CidrBlock", "AvailabilityZone", "AvailabilityZoneId")

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        ec2 = context.client("ec2")
        if "CidrBlock" not in new:
            raise ResourceFailedError("the embedded cloud does not create subnets without a CidrBlock")
        zone = new.get("AvailabilityZone")
        if wanted := new.get("AvailabilityZoneId"):
            zones = ec2.describe_availability_zones(ZoneIds=[wanted])["AvailabilityZones"]
            if not zones:
                raise ResourceFailedError(f"the zone {wanted} does not exist in {context.region}")
            zone = zones[0]["ZoneName"]
        return only(new, "VpcId", "CidrBlock") | {"AvailabilityZone": zone or _first_zone(ec2)}

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        if "MapPublicIpOnLaunch" in properties:
            public = {"Value": properties["MapPublicIpOnLaunch"]}
            client.modify_subnet_attribute(SubnetId=existing.physical_id, MapPublicIpOnLaunch=public)


def _first_zone(ec2: Any) -> str:
    """Return the first Availability Zone, the default of a subnet; never a Local Zone."""
    zones = ec2.describe_availability_zones()["AvailabilityZones"]
    return min(str(zone["ZoneName"]) for zone in zones if zone.get("ZoneType") != "local-zone")


class RouteTable(Ec2Model):
    """A route table."""

    type = "AWS::EC2::RouteTable"
    noun = "route_table"
    key = ("RouteTableId",)
    ref = "{RouteTableId}"


class Route(Model):
    """A route; its id consists of the route table's id and the destination."""

    type = "AWS::EC2::Route"

    def create(self, context: Context, properties: Properties) -> Created:
        destinations = [str(value) for name, value in properties.items() if name.startswith("Destination")]
        if len(destinations) != 1:
            raise ResourceFailedError(f"a route requires one destination, not {len(destinations)}")
        context.client("ec2").create_route(**properties)
        (destination,) = destinations
        return Created(f"{properties['RouteTableId']}|{destination}", {"CidrBlock": destination})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        context.client("ec2").replace_route(**properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        names = (
            "RouteTableId",
            "DestinationCidrBlock",
            "DestinationIpv6CidrBlock",
            "DestinationPrefixListId",
        )
        context.client("ec2").delete_route(**only(existing.properties, *names))

    def read(self, context: Context, existing: Existing) -> Properties | None:
        table_id, destination = existing.physical_id.split("|")
        table = _table(context, table_id)
        for route in table["Routes"] if table else ():
            names = [name for name in route if name.startswith("Destination")]
            if destination in (route[name] for name in names):
                return known(**only(route, *names, *_TARGETS))
        return None


class SubnetRouteTableAssociation(Model):
    """The association of a subnet with a route table."""

    type = "AWS::EC2::SubnetRouteTableAssociation"

    def create(self, context: Context, properties: Properties) -> Created:
        association = context.client("ec2").associate_route_table(**properties)["AssociationId"]
        return Created(association, {"Id": association})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        self.delete(context, existing)
        return self.create(context, properties).attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ec2").disassociate_route_table(AssociationId=existing.attributes["Id"])

    def read(self, context: Context, existing: Existing) -> Properties | None:
        subnet = existing.properties["SubnetId"]
        wanted = [{"Name": "association.subnet-id", "Values": [subnet]}]
        for table in context.client("ec2").describe_route_tables(Filters=wanted)["RouteTables"]:
            if any(a.get("SubnetId") == subnet for a in table["Associations"]):
                return {"SubnetId": subnet, "RouteTableId": table["RouteTableId"]}
        return None


_TARGETS = (
    "EgressOnlyInternetGatewayId",
    "GatewayId",
    "NatGatewayId",
    "NetworkInterfaceId",
    "TransitGatewayId",
    "VpcPeeringConnectionId",
)


def _table(context: Context, table_id: str) -> Mapping[str, Any] | None:
    answer = found(context.client("ec2").describe_route_tables, RouteTableIds=[table_id])
    return answer["RouteTables"][0] if answer and answer["RouteTables"] else None
