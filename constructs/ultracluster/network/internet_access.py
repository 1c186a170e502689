"""Internet access of a VPC: internet gateway, public routes and a NAT gateway."""

from collections.abc import Mapping

from aws_cdk import CfnResource
from constructs import Construct

from ultracluster.cfn import add_resource, attribute, tag_list


def add_internet_access(
    scope: Construct,
    *,
    name: str,
    vpc_id: str,
    public_subnet_ids: Mapping[str, str],
    nat_subnet: str,
    tags: Mapping[str, str],
) -> str:
    """Route public subnets to an internet gateway, and return the id of a NAT gateway in one of them.

    The route and the Elastic IP address depend on the gateway's attachment. The route fails if the attachment
    does not exist yet (HYPERPOD-05). EC2 does not detach a gateway while addresses are mapped through it. The
    NAT gateway depends on the route of its subnet, because the NAT gateway does not work without the route.
    """
    gateway = add_resource(
        scope, "InternetGateway", "AWS::EC2::InternetGateway", {"Tags": tag_list(tags, name)}
    )
    attachment = add_resource(
        scope,
        "InternetGatewayAttachment",
        "AWS::EC2::VPCGatewayAttachment",
        {"VpcId": vpc_id, "InternetGatewayId": gateway.ref},
    )
    routing = _add_public_routing(
        scope,
        name=name,
        vpc_id=vpc_id,
        subnet_ids=public_subnet_ids,
        gateway_id=gateway.ref,
        attachment=attachment,
        tags=tags,
    )
    address = add_resource(
        scope,
        "NatAddress",
        "AWS::EC2::EIP",
        {"Domain": "vpc", "Tags": tag_list(tags, f"{name}-nat")},
        depends_on=[attachment],
    )
    nat_gateway = add_resource(
        scope,
        "NatGateway",
        "AWS::EC2::NatGateway",
        {
            "AllocationId": attribute(address, "AllocationId"),
            "SubnetId": public_subnet_ids[nat_subnet],
            "Tags": tag_list(tags, name),
        },
        depends_on=routing,
    )
    return nat_gateway.ref


def _add_public_routing(
    scope: Construct,
    *,
    name: str,
    vpc_id: str,
    subnet_ids: Mapping[str, str],
    gateway_id: str,
    attachment: CfnResource,
    tags: Mapping[str, str],
) -> list[CfnResource]:
    table_id = add_resource(
        scope,
        "PublicRouteTable",
        "AWS::EC2::RouteTable",
        {"VpcId": vpc_id, "Tags": tag_list(tags, f"{name}-public")},
    ).ref
    route = add_resource(
        scope,
        "PublicDefaultRoute",
        "AWS::EC2::Route",
        {"RouteTableId": table_id, "DestinationCidrBlock": "0.0.0.0/0", "GatewayId": gateway_id},
        depends_on=[attachment],
    )
    associations = [
        add_resource(
            scope,
            f"RouteTableAssociation-{subnet}",
            "AWS::EC2::SubnetRouteTableAssociation",
            {"RouteTableId": table_id, "SubnetId": subnet_ids[subnet]},
        )
        for subnet in sorted(subnet_ids)
    ]
    return [route, *associations]
