"""What a VPC is connected with: gateways, addresses, endpoints and flow logs, over moto's EC2."""

# ruff: noqa: D102 - create, update and delete are described by Model

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scripts.cloudformation.errors import ResourceFailedError

from .base import Context, Created, Existing, Model, Properties, only
from .ec2_tags import retag, tag_specifications


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


class VpcGatewayAttachment(Model):
    """An internet gateway on its VPC."""

    type = "AWS::EC2::VPCGatewayAttachment"

    def create(self, context: Context, properties: Properties) -> Created:
        context.client("ec2").attach_internet_gateway(**only(properties, "InternetGatewayId", "VpcId"))
        return Created(f"IGW|{properties['VpcId']}", {"AttachmentType": "IGW"})

    def delete(self, context: Context, existing: Existing) -> None:
        names = only(existing.properties, "InternetGatewayId", "VpcId")
        context.client("ec2").detach_internet_gateway(**names)


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


class NatGateway(Model):
    """A NAT gateway."""

    type = "AWS::EC2::NatGateway"

    def create(self, context: Context, properties: Properties) -> Created:
        request = only(properties, "SubnetId", "AllocationId", "ConnectivityType")
        tags = tag_specifications("natgateway", context, properties)
        gateway = context.client("ec2").create_nat_gateway(**request, **tags)["NatGateway"]["NatGatewayId"]
        return Created(gateway, {"NatGatewayId": gateway})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        retag(context, existing.physical_id, existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ec2").delete_nat_gateway(NatGatewayId=existing.physical_id)


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

    @staticmethod
    def _policy(properties: Properties) -> Mapping[str, str]:
        policy = properties.get("PolicyDocument")
        return (
            {}
            if policy is None
            else {"PolicyDocument": policy if isinstance(policy, str) else json.dumps(policy)}
        )


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


MODELS = (
    InternetGateway(),
    VpcGatewayAttachment(),
    ElasticIp(),
    NatGateway(),
    VpcEndpoint(),
    FlowLog(),
)
