"""What a VPC is connected with: gateways, addresses, endpoints and flow logs, over moto's EC2."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.base import (
    Context,
    Created,
    Existing,
    Model,
    Properties,
    document_of,
    found,
    only,
    text_of,
)
from scripts.cloud.template.errors import ResourceFailedError

from .tags import described, retag, tag_specifications


class InternetGateway(Model):
    """An internet gateway, not yet attached."""

    type = "AWS::EC2::InternetGateway"

    def create(self, context: Context, properties: Properties) -> Created:
        tags = tag_specifications("internet-gateway", context, properties)
        gateway = context.client("ec2").create_internet_gateway(**tags)["InternetGateway"][
            "InternetGatewayId"
        ]
        return Created(gateway, {"InternetGatewayId": gateway})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        retag(context, existing.physical_id, existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ec2").delete_internet_gateway(InternetGatewayId=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("ec2").describe_internet_gateways
        answer = found(ask, InternetGatewayIds=[existing.physical_id])
        return None if answer is None else described(answer["InternetGateways"][0])


class VpcGatewayAttachment(Model):
    """An internet gateway on its VPC."""

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


class ElasticIp(Model):
    """A public address."""

    type = "AWS::EC2::EIP"

    def create(self, context: Context, properties: Properties) -> Created:
        tags = tag_specifications("elastic-ip", context, properties)
        address = context.client("ec2").allocate_address(Domain="vpc", **tags)
        return Created(address["PublicIp"], only(address, "AllocationId", "PublicIp"))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        retag(context, existing.attributes["AllocationId"], existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ec2").release_address(AllocationId=existing.attributes["AllocationId"])

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("ec2").describe_addresses
        answer = found(ask, AllocationIds=[existing.attributes["AllocationId"]])
        return None if answer is None else described(answer["Addresses"][0])


class NatGateway(Model):
    """A NAT gateway."""

    type = "AWS::EC2::NatGateway"

    def create(self, context: Context, properties: Properties) -> Created:
        request = only(properties, "SubnetId", "AllocationId", "ConnectivityType")
        tags = tag_specifications("natgateway", context, properties)
        gateway = context.client("ec2").create_nat_gateway(**request, **tags)["NatGateway"]["NatGatewayId"]
        told = self._told(context, gateway) or {}
        addresses = told.get("NatGatewayAddresses", [])
        interface = next((a["NetworkInterfaceId"] for a in addresses if "NetworkInterfaceId" in a), "")
        return Created(gateway, {"NatGatewayId": gateway, "EniId": interface})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        retag(context, existing.physical_id, existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ec2").delete_nat_gateway(NatGatewayId=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        told = self._told(context, existing.physical_id)
        if told is None:
            return None
        addresses = [a["AllocationId"] for a in told.get("NatGatewayAddresses", []) if a.get("AllocationId")]
        first = addresses[0] if addresses else None
        return described(told, **only(told, "SubnetId", "ConnectivityType"), AllocationId=first)

    @staticmethod
    def _told(context: Context, gateway: str) -> Mapping[str, Any] | None:
        """A gateway that is deleted is told of for a while."""
        answer = found(context.client("ec2").describe_nat_gateways, NatGatewayIds=[gateway])
        gateways = answer["NatGateways"] if answer else []
        return next((told for told in gateways if told["State"] not in ("deleting", "deleted")), None)


class VpcEndpoint(Model):
    """A gateway or interface endpoint."""

    type = "AWS::EC2::VPCEndpoint"
    _NAMES = ("VpcEndpointType", "VpcId", "ServiceName", "RouteTableIds", "SubnetIds", "SecurityGroupIds")

    def create(self, context: Context, properties: Properties) -> Created:
        endpoint = context.client("ec2").create_vpc_endpoint(
            **only(properties, *self._NAMES, "PrivateDnsEnabled"),
            **self._policy(properties),
            **tag_specifications("vpc-endpoint", context, properties),
        )["VpcEndpoint"]
        entries = [f"{e.get('HostedZoneId', '')}:{e['DnsName']}" for e in endpoint.get("DnsEntries", [])]
        attributes = {
            "Id": endpoint["VpcEndpointId"],
            "DnsEntries": entries,
            "NetworkInterfaceIds": endpoint.get("NetworkInterfaceIds", []),
            "CreationTimestamp": str(endpoint.get("CreationTimestamp", "")),
        }
        return Created(endpoint["VpcEndpointId"], attributes)

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        request: dict[str, Any] = {"VpcEndpointId": existing.physical_id, **self._policy(properties)}
        for plural, name in (
            ("RouteTableIds", "RouteTableId"),
            ("SubnetIds", "SubnetId"),
            ("SecurityGroupIds", "SecurityGroupId"),
        ):
            before, after = set(existing.properties.get(plural, [])), set(properties.get(plural, []))
            request[f"Add{name}s"], request[f"Remove{name}s"] = sorted(after - before), sorted(before - after)
        context.client("ec2").modify_vpc_endpoint(**{key: value for key, value in request.items() if value})
        retag(context, existing.physical_id, existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ec2").delete_vpc_endpoints(VpcEndpointIds=[existing.physical_id])

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("ec2").describe_vpc_endpoints
        answer = found(ask, VpcEndpointIds=[existing.physical_id])
        endpoints = answer["VpcEndpoints"] if answer else []
        told = next((e for e in endpoints if e["State"] not in ("deleting", "deleted")), None)
        if told is None:  # a deleted endpoint is told of for a while
            return None
        return described(
            told,
            PolicyDocument=document_of(told.get("PolicyDocument")),
            PrivateDnsEnabled=told.get("PrivateDnsEnabled"),
            RouteTableIds=sorted(told.get("RouteTableIds", [])),
            SubnetIds=sorted(told.get("SubnetIds", [])),
            SecurityGroupIds=sorted(group["GroupId"] for group in told.get("Groups", [])),
        )

    @staticmethod
    def _policy(properties: Properties) -> Mapping[str, str]:
        policy = properties.get("PolicyDocument")
        return {} if policy is None else {"PolicyDocument": text_of(policy)}


class FlowLog(Model):
    """The flow log of a VPC, subnet or interface."""

    type = "AWS::EC2::FlowLog"
    _NAMES = (
        "ResourceType",
        "TrafficType",
        "DeliverLogsPermissionArn",
        "LogDestinationType",
        "LogDestination",
        "LogGroupName",
        "LogFormat",
        "MaxAggregationInterval",
    )

    def create(self, context: Context, properties: Properties) -> Created:
        answer = context.client("ec2").create_flow_logs(
            ResourceIds=[properties["ResourceId"]],
            **only(properties, *self._NAMES),
            **tag_specifications("vpc-flow-log", context, properties),
        )
        for refused in answer.get("Unsuccessful", []):
            raise ResourceFailedError(refused["Error"]["Message"])
        return Created(answer["FlowLogIds"][0], {"Id": answer["FlowLogIds"][0]})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        retag(context, existing.physical_id, existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ec2").delete_flow_logs(FlowLogIds=[existing.physical_id])

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("ec2").describe_flow_logs
        answer = found(ask, FlowLogIds=[existing.physical_id])
        if answer is None or not answer["FlowLogs"]:
            return None
        told = answer["FlowLogs"][0]
        names = [name for name in self._NAMES if name != "ResourceType"]
        return described(told, **only(told, *names), ResourceId=told["ResourceId"])


MODELS = (
    InternetGateway(),
    VpcGatewayAttachment(),
    ElasticIp(),
    NatGateway(),
    VpcEndpoint(),
    FlowLog(),
)
