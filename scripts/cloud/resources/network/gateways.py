"""Gateways, Elastic IP addresses, endpoints and flow logs, on moto's EC2."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.base import Context, Created, Existing, Model, Properties, found, only
from scripts.cloud.template.errors import ResourceFailedError

from .tags import Ec2Model, retag


class InternetGateway(Ec2Model):
    """An internet gateway, not attached yet."""

    type = "AWS::EC2::InternetGateway"
    noun = "internet_gateway"
    key = ("InternetGatewayId",)
    ref = "{InternetGatewayId}"


class VpcGatewayAttachment(Model):
    """The attachment of an internet gateway to a VPC."""

    type = "AWS::EC2::VPCGatewayAttachment"

    def create(self, context: Context, properties: Properties) -> Created:
        context.client("ec2").attach_internet_gateway(**only(properties, "InternetGatewayId", "VpcId"))
        return Created(f"IGW|{properties['VpcId']}", {"AttachmentType": "IGW"})

    def delete(self, context: Context, existing: Existing) -> None:
        names = only(existing.properties, "InternetGatewayId", "VpcId")
        context.client("ec2").detach_internet_gateway(**names)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        gateway = existing.properties["InternetGatewayId"]
        answer = found(context.client("ec2").describe_internet_gateways, InternetGatewayIds=[gateway])
        for attachment in answer["InternetGateways"][0]["Attachments"] if answer else ():
            if attachment["VpcId"] == existing.properties["VpcId"]:
                return {"InternetGatewayId": gateway, "VpcId": attachment["VpcId"]}
        return None


class ElasticIp(Ec2Model):
    """An Elastic IP address."""

    type = "AWS::EC2::EIP"
    noun, kind = "address", "elastic-ip"
    creates, reads, deletes = "allocate_{}", "describe_{}es", "release_{}"
    key = ("AllocationId:AllocationId",)
    ref = "{PublicIp}"

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        return {"Domain": "vpc"}

    def retag(self, context: Context, existing: Existing, properties: Properties) -> None:
        retag(context, existing.attributes["AllocationId"], existing.properties, properties)


class NatGateway(Ec2Model):
    """A NAT gateway."""

    type = "AWS::EC2::NatGateway"
    noun, kind = "nat_gateway", "natgateway"
    key = ("NatGatewayId",)
    ref = "{NatGatewayId}"
    refreshed = True

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        addresses = made.get("NatGatewayAddresses", [])
        interface = next((a["NetworkInterfaceId"] for a in addresses if "NetworkInterfaceId" in a), "")
        return super().attributes(context, existing, {**made, "EniId": interface})

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        addresses = [
            a["AllocationId"] for a in record.get("NatGatewayAddresses", []) if a.get("AllocationId")
        ]
        return super().properties(context, existing, {**record, "AllocationId": next(iter(addresses), None)})


class VpcEndpoint(Ec2Model):
    """A gateway endpoint or interface endpoint."""

    type = "AWS::EC2::VPCEndpoint"
    noun, updates = "vpc_endpoint", "modify_vpc_endpoint"
    deletes = "delete_{}s"
    key = ("VpcEndpointId",)
    ref = "{VpcEndpointId}"

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        entries = [f"{e.get('HostedZoneId', '')}:{e['DnsName']}" for e in made.get("DnsEntries", [])]
        empty = {"NetworkInterfaceIds": [], "CreationTimestamp": ""}
        return super().attributes(context, existing, {**empty, **made, "DnsEntries": entries})

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        if old is None:
            return new
        request = only(new, "PolicyDocument")
        for name in ("RouteTableIds", "SubnetIds", "SecurityGroupIds"):
            before, after = set(old.get(name, [])), set(new.get(name, []))
            request |= {f"Add{name}": sorted(after - before), f"Remove{name}": sorted(before - after)}
        return {name: value for name, value in request.items() if value}

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        lists = {name: sorted(record.get(name, [])) for name in ("RouteTableIds", "SubnetIds")}
        groups = {"SecurityGroupIds": sorted(group["GroupId"] for group in record.get("Groups", []))}
        return super().properties(context, existing, {**record, **lists, **groups})


class FlowLog(Ec2Model):
    """The flow log of a VPC, subnet or interface."""

    type = "AWS::EC2::FlowLog"
    noun, kind = "flow_log", "vpc-flow-log"
    creates, deletes = "create_{}s", "delete_{}s"
    key = ("FlowLogId",)

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        return {**new, "ResourceIds": [new["ResourceId"]]}

    def identity(self, context: Context, made: Properties) -> str:
        for refused in made.get("Unsuccessful", []):
            raise ResourceFailedError(refused["Error"]["Message"])
        return str(made["FlowLogIds"][0])
