"""VPC, subnets and routes, over moto's EC2."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.base import Context, Created, Existing, Model, Properties, found, known, only
from scripts.cloud.template.errors import ResourceFailedError

from .tags import described, retag, tag_specifications


class Vpc(Model):
    """A VPC with its DNS settings."""

    type = "AWS::EC2::VPC"

    def create(self, context: Context, properties: Properties) -> Created:
        ec2 = context.client("ec2")
        vpc = ec2.create_vpc(
            **only(properties, "CidrBlock", "InstanceTenancy"),
            **tag_specifications("vpc", context, properties),
        )["Vpc"]
        context.claim(vpc["VpcId"])
        self._settings(ec2, vpc["VpcId"], properties)
        inside = [{"Name": "vpc-id", "Values": [vpc["VpcId"]]}]
        group = ec2.describe_security_groups(Filters=inside)["SecurityGroups"][0]["GroupId"]
        acls = ec2.describe_network_acls(Filters=inside)["NetworkAcls"]
        attributes = {
            "VpcId": vpc["VpcId"],
            "CidrBlock": vpc["CidrBlock"],
            "DefaultSecurityGroup": group,
            "DefaultNetworkAcl": acls[0]["NetworkAclId"],
            "CidrBlockAssociations": [a["AssociationId"] for a in vpc["CidrBlockAssociationSet"]],
        }
        return Created(vpc["VpcId"], attributes)

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        self._settings(context.client("ec2"), existing.physical_id, properties)
        retag(context, existing.physical_id, existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ec2").delete_vpc(VpcId=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ec2, vpc_id = context.client("ec2"), existing.physical_id
        answer = found(ec2.describe_vpcs, VpcIds=[vpc_id])
        if answer is None:
            return None
        dns = {}
        for name in ("EnableDnsSupport", "EnableDnsHostnames"):
            attribute = name[0].lower() + name[1:]
            dns[name] = ec2.describe_vpc_attribute(VpcId=vpc_id, Attribute=attribute)[name]["Value"]
        vpc = answer["Vpcs"][0]
        return described(vpc, **only(vpc, "CidrBlock", "InstanceTenancy"), **dns)

    @staticmethod
    def _settings(ec2: Any, vpc_id: str, properties: Properties) -> None:
        for name in ("EnableDnsSupport", "EnableDnsHostnames"):
            if name in properties:
                ec2.modify_vpc_attribute(VpcId=vpc_id, **{name: {"Value": properties[name]}})


class VpcCidrBlock(Model):
    """A further address range of a VPC."""

    type = "AWS::EC2::VPCCidrBlock"

    def create(self, context: Context, properties: Properties) -> Created:
        answer = context.client("ec2").associate_vpc_cidr_block(**only(properties, "VpcId", "CidrBlock"))
        association = answer["CidrBlockAssociation"]["AssociationId"]
        return Created(association, {"Id": association})

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ec2").disassociate_vpc_cidr_block(AssociationId=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("ec2").describe_vpcs, VpcIds=[existing.properties["VpcId"]])
        for block in answer["Vpcs"][0]["CidrBlockAssociationSet"] if answer else ():
            state = block.get("CidrBlockState", {}).get("State", "associated")
            if block["AssociationId"] == existing.physical_id and state == "associated":
                return only(block, "CidrBlock")
        return None


class Subnet(Model):
    """A subnet, in a zone given by name or by id."""

    type = "AWS::EC2::Subnet"

    def create(self, context: Context, properties: Properties) -> Created:
        ec2 = context.client("ec2")
        if "CidrBlock" not in properties:
            raise ResourceFailedError("the embedded cloud makes no subnet without a CidrBlock")
        zone = properties.get("AvailabilityZone")
        if "AvailabilityZoneId" in properties:
            wanted = properties["AvailabilityZoneId"]
            zones = ec2.describe_availability_zones(ZoneIds=[wanted])["AvailabilityZones"]
            if not zones:
                raise ResourceFailedError(f"the embedded cloud knows no zone {wanted} in {context.region}")
            zone = zones[0]["ZoneName"]
        zone = zone or _first_zone(ec2)
        subnet = ec2.create_subnet(
            **only(properties, "VpcId", "CidrBlock"),
            AvailabilityZone=zone,
            **tag_specifications("subnet", context, properties),
        )["Subnet"]
        context.claim(subnet["SubnetId"])
        self._settings(ec2, subnet["SubnetId"], properties)
        names = ("SubnetId", "VpcId", "CidrBlock", "AvailabilityZone", "AvailabilityZoneId")
        return Created(subnet["SubnetId"], only(subnet, *names))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        self._settings(context.client("ec2"), existing.physical_id, properties)
        retag(context, existing.physical_id, existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ec2").delete_subnet(SubnetId=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("ec2").describe_subnets, SubnetIds=[existing.physical_id])
        if answer is None:
            return None
        subnet = answer["Subnets"][0]
        names = ("CidrBlock", "AvailabilityZone", "AvailabilityZoneId", "MapPublicIpOnLaunch")
        return described(subnet, **only(subnet, *names))

    @staticmethod
    def _settings(ec2: Any, subnet_id: str, properties: Properties) -> None:
        if "MapPublicIpOnLaunch" in properties:
            public = {"Value": properties["MapPublicIpOnLaunch"]}
            ec2.modify_subnet_attribute(SubnetId=subnet_id, MapPublicIpOnLaunch=public)


def _first_zone(ec2: Any) -> str:
    """The zone of a subnet that names none: never a Local Zone."""
    zones = ec2.describe_availability_zones()["AvailabilityZones"]
    return min(str(zone["ZoneName"]) for zone in zones if zone.get("ZoneType") != "local-zone")


class RouteTable(Model):
    """A route table."""

    type = "AWS::EC2::RouteTable"

    def create(self, context: Context, properties: Properties) -> Created:
        tags = tag_specifications("route-table", context, properties)
        table = context.client("ec2").create_route_table(VpcId=properties["VpcId"], **tags)
        table_id = table["RouteTable"]["RouteTableId"]
        return Created(table_id, {"RouteTableId": table_id})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        retag(context, existing.physical_id, existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ec2").delete_route_table(RouteTableId=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        table = _table(context, existing.physical_id)
        return None if table is None else described(table, **only(table, "VpcId"))


class Route(Model):
    """One route; its id is the table and the destination."""

    type = "AWS::EC2::Route"

    def create(self, context: Context, properties: Properties) -> Created:
        destinations = [str(value) for name, value in properties.items() if name.startswith("Destination")]
        if len(destinations) != 1:
            raise ResourceFailedError(f"a route has one destination, not {len(destinations)}")
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
    """The route table of a subnet."""

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


MODELS = (
    Vpc(),
    VpcCidrBlock(),
    Subnet(),
    RouteTable(),
    Route(),
    SubnetRouteTableAssociation(),
)
