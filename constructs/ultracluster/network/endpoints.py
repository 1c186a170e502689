"""VPC endpoints for AWS services without internet access."""

from collections.abc import Mapping, Sequence
from typing import Literal

from aws_cdk import CfnResource
from constructs import Construct

from ultracluster.cfn import NO_EGRESS, add_resource, add_security_group, https_rule, sub, tag_list
from ultracluster.retention import Retention

_GATEWAYS = {"s3": "S3Endpoint", "s3express": "S3ExpressEndpoint"}


def add_gateway_endpoint(
    scope: Construct,
    service: Literal["s3", "s3express"],
    *,
    name: str,
    vpc_id: str,
    route_table_id: str,
    retention: Retention,
    tags: Mapping[str, str],
) -> CfnResource:
    """Add a gateway endpoint for S3, which is free of charge and keeps S3 traffic off the NAT gateway.

    Directory buckets need a separate gateway endpoint:
    https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-express-networking.html
    """
    properties = {
        "VpcEndpointType": "Gateway",
        "VpcId": vpc_id,
        "ServiceName": sub(f"com.amazonaws.${{AWS::Region}}.{service}"),
        "RouteTableIds": [route_table_id],
        "Tags": tag_list(tags, f"{name}-{service}"),
    }
    return add_resource(scope, _GATEWAYS[service], "AWS::EC2::VPCEndpoint", properties, retention=retention)


def add_interface_endpoints(
    scope: Construct,
    *,
    name: str,
    vpc_id: str,
    vpc_cidr: str,
    services: Sequence[str],
    subnet_ids: Sequence[str],
    tags: Mapping[str, str],
) -> list[CfnResource]:
    """Add an interface endpoint with private DNS for each service; the VPC can access it with TLS."""
    if not services:
        return []
    inbound = {"SecurityGroupIngress": [https_rule(vpc_cidr, "TLS from the VPC")]}
    group_id = add_security_group(
        scope,
        "EndpointSecurityGroup",
        vpc_id=vpc_id,
        description=f"Interface endpoints of {name}",
        rules={**inbound, "SecurityGroupEgress": [NO_EGRESS]},
        tags=tag_list(tags, f"{name}-endpoints"),
    )
    shared = {
        "VpcEndpointType": "Interface",
        "VpcId": vpc_id,
        "SubnetIds": list(subnet_ids),
        "SecurityGroupIds": [group_id],
        "PrivateDnsEnabled": True,
    }
    return [
        add_resource(
            scope,
            f"Endpoint-{service}",
            "AWS::EC2::VPCEndpoint",
            {
                **shared,
                "ServiceName": sub(f"com.amazonaws.${{AWS::Region}}.{service}"),
                "Tags": tag_list(tags, f"{name}-{service}"),
            },
        )
        for service in sorted(services)
    ]
