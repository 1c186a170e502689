"""What opens and what closes: rules, routes, endpoints, gateways, public addresses."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.cli.review.differences.network import network_changes
from scripts.cli.review.differences.stack import Resource
from tests.review.support import Body, reviewed, snapshot

OUT = [{"IpProtocol": "-1", "CidrIp": "10.0.0.0/8"}]


def group(*ingress: Body, egress: Any = OUT) -> Body:
    return {
        "Type": "AWS::EC2::SecurityGroup",
        "Properties": {
            "GroupDescription": "g", "VpcId": "vpc-1", "SecurityGroupIngress": list(ingress),
            **({} if egress is None else {"SecurityGroupEgress": egress}),
        },
    }  # fmt: skip


def rule(port: int | None, cidr: str = "10.0.0.0/8") -> Body:
    ports = {"IpProtocol": "-1"} if port is None else {"IpProtocol": "tcp", "FromPort": port, "ToPort": port}
    return {**ports, "CidrIp": cidr}


def sentences(old: Body, new: Body) -> list[str]:
    return [change.sentence for change in reviewed(old, new).network]


def test_a_rule_that_opens_and_one_that_closes_are_reported() -> None:
    assert sentences({"G": group(rule(22))}, {"G": group(rule(443))}) == [
        "G: removed the inbound rule that allows tcp port 22 from 10.0.0.0/8",
        "G: added an inbound rule that allows tcp port 443 from 10.0.0.0/8",
    ]


@pytest.mark.parametrize("cidr", ["10.0.0.0/8", "203.0.113.7/32", "fc00::/7", "2001:db8::/32", "pl-12345678"])
def test_a_block_that_one_owner_has_is_not_everybody(cidr: str) -> None:
    opened = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "CidrIp": cidr}
    (change,) = reviewed({"G": group()}, {"G": group(opened)}).network
    assert not change.is_exposed


@pytest.mark.parametrize("cidr", ["0.0.0.0/0", "::/0", "0.0.0.0/1", "128.0.0.0/1", "0::/0", "2000::/3"])
def test_what_the_internet_reaches_comes_first(cidr: str) -> None:
    key = "CidrIpv6" if ":" in cidr else "CidrIp"
    public = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, key: cidr}
    found = reviewed({"A": group(), "Z": group()}, {"A": group(rule(80)), "Z": group(public)}).network
    assert [change.resource for change in found] == ["Z", "A"]
    assert found[0].sentence == f"Z: added an inbound rule that allows tcp port 22 from {cidr} (public)"
    assert [change.is_exposed for change in found] == [True, False]


def test_a_public_rule_that_closes_is_not_an_exposure() -> None:
    (change,) = reviewed({"G": group(rule(22, "0.0.0.0/0"))}, {"G": group()}).network
    assert (change.public, change.is_exposed) == (True, False)


def test_a_rule_of_its_own_is_the_same_as_one_in_its_group() -> None:
    reference: Body = {"Fn::GetAtt": ["G", "GroupId"]}
    apart = {
        "G": group(egress=OUT),
        "I": {"Type": "AWS::EC2::SecurityGroupIngress", "Properties": {"GroupId": reference, **rule(22)}},
    }
    assert sentences({"G": group(rule(22))}, apart) == []
    itself = {"IpProtocol": "-1", "GroupId": reference, "SourceSecurityGroupId": reference}
    new = {"G": group(), "I": {"Type": "AWS::EC2::SecurityGroupIngress", "Properties": itself}}
    assert sentences({"G": group()}, new) == [
        "G: added an inbound rule that allows all traffic from the group itself"
    ]


def test_a_group_without_egress_lets_all_out() -> None:
    opened, closed = sentences({"G": group()}, {"G": group(egress=None)})
    assert closed == "G: removed the outbound rule that allows all traffic to 10.0.0.0/8"
    assert opened.startswith("G: added an outbound rule that allows all traffic to 0.0.0.0/0 (EC2 adds this")


VPC: Body = {
    "V": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
    "T": {"Type": "AWS::EC2::RouteTable", "Properties": {"VpcId": {"Ref": "V"}}},
    "S": {"Type": "AWS::EC2::Subnet", "Properties": {"VpcId": {"Ref": "V"}, "CidrBlock": "10.0.0.0/24"}},
}


def route(**target: Any) -> Body:
    return {
        "Type": "AWS::EC2::Route",
        "Properties": {"RouteTableId": {"Ref": "T"}, "DestinationCidrBlock": "0.0.0.0/0", **target},
    }


def test_a_route_to_an_internet_gateway_and_a_subnet_on_it_are_public() -> None:
    gateway: Body = {"Type": "AWS::EC2::InternetGateway"}
    uses = {
        "Type": "AWS::EC2::SubnetRouteTableAssociation",
        "Properties": {"SubnetId": {"Ref": "S"}, "RouteTableId": {"Ref": "T"}},
    }
    new = {**VPC, "I": gateway, "R": route(GatewayId={"Ref": "I"}), "U": uses}
    assert sentences(VPC, new) == [
        "S: added an association with route table T (public)",
        "T: added a route that sends traffic for 0.0.0.0/0 to I (public)",
        "I: added an internet gateway (public)",
    ]


def test_a_route_by_nat_is_not_public_and_another_target_is_reported_as_both() -> None:
    old, new = route(NatGatewayId="nat-1"), route(TransitGatewayId="tgw-1")
    assert sentences({**VPC, "R": old}, {**VPC, "R": new}) == [
        "T: removed the route that sends traffic for 0.0.0.0/0 to nat-1",
        "T: added a route that sends traffic for 0.0.0.0/0 to tgw-1",
    ]


def test_endpoints_come_and_go() -> None:
    endpoint = {
        "Type": "AWS::EC2::VPCEndpoint",
        "Properties": {
            "VpcId": {"Ref": "V"}, "VpcEndpointType": "Interface",
            "ServiceName": {"Fn::Sub": "com.amazonaws.${AWS::Region}.ssm"},
        },
    }  # fmt: skip
    assert sentences(VPC, {**VPC, "E": endpoint}) == [
        "E: added an Interface endpoint for com.amazonaws.us-west-2.ssm"
    ]
    assert sentences({**VPC, "E": endpoint}, VPC) == [
        "E: removed the Interface endpoint for com.amazonaws.us-west-2.ssm"
    ]


EXPOSED: list[tuple[str, Body, Body, str]] = [
    ("AWS::EC2::Subnet", {}, {"MapPublicIpOnLaunch": True}, "public addresses of instances"),
    (
        "AWS::EC2::LaunchTemplate",
        {"LaunchTemplateData": {}},
        {"LaunchTemplateData": {"NetworkInterfaces": [{"AssociatePublicIpAddress": True}]}},
        "public addresses of instances",
    ),
    (
        "AWS::EKS::Cluster",
        {"ResourcesVpcConfig": {"EndpointPublicAccess": False}},
        {"ResourcesVpcConfig": {}},
        "access to the Kubernetes API from 0.0.0.0/0",
    ),
    (
        "AWS::EKS::Cluster",
        {"ResourcesVpcConfig": {"EndpointPublicAccess": False}},
        {"ResourcesVpcConfig": {"EndpointPublicAccess": "true", "PublicAccessCidrs": ["192.0.2.0/24"]}},
        "access to the Kubernetes API from 192.0.2.0/24",
    ),
    (
        "AWS::ElasticLoadBalancingV2::LoadBalancer",
        {"Scheme": "internal"},
        {"Scheme": "internet-facing"},
        "internet access to the load balancer",
    ),
    ("AWS::RDS::DBInstance", {}, {"PubliclyAccessible": True}, "public address of the database"),
    (
        "AWS::S3::Bucket",
        {},
        {"PublicAccessBlockConfiguration": {
            "BlockPublicAcls": True, "IgnorePublicAcls": True, "RestrictPublicBuckets": True}},
        "possible public access (BlockPublicPolicy is off)",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "before", "after", "what"), EXPOSED)
def test_what_becomes_public_is_called_out(kind: str, before: Body, after: Body, what: str) -> None:
    (change,) = network_changes({"X": Resource(kind, before)}, {"X": Resource(kind, after)})
    assert (change.topic, change.what, change.is_exposed) == ("exposure", what, True)
    (back,) = network_changes({"X": Resource(kind, after)}, {"X": Resource(kind, before)})
    assert (back.change, back.is_exposed) == ("closed", False)


@pytest.mark.parametrize("value", [None, "x", [1], {"a": 1}, 7])
def test_properties_that_are_written_otherwise_end_in_no_traceback(value: Any) -> None:
    keys = (
        "SecurityGroupIngress", "SecurityGroupEgress", "GroupId", "RouteTableId", "GatewayId", "ServiceName",
        "LaunchTemplateData", "ResourcesVpcConfig", "PublicAccessBlockConfiguration", "IpProtocol",
    )  # fmt: skip
    kinds = {kind for kind, *_ in EXPOSED} | {
        "AWS::EC2::SecurityGroup",
        "AWS::EC2::SecurityGroupEgress",
        "AWS::EC2::Route",
        "AWS::EC2::VPCEndpoint",
    }
    stack = {kind: Resource(kind, dict.fromkeys(keys, value)) for kind in kinds}
    assert network_changes(stack, stack) == ()
    assert all(change.sentence for change in network_changes({}, stack))


def test_a_cluster_that_is_closed_off_loses_its_public_ways() -> None:
    body = snapshot()["Resources"]
    stack = {name: Resource(r["Type"], r.get("Properties", {})) for name, r in body.items()}
    closed = {
        name: resource
        for name, resource in stack.items()
        if resource.type not in ("AWS::EC2::InternetGateway", "AWS::EC2::NatGateway", "AWS::EC2::Route")
    }
    found = network_changes(stack, closed)
    assert not any(change.is_exposed for change in found)
    assert {change.topic for change in found} == {"route", "gateway"}
    assert any(change.is_exposed for change in network_changes(closed, stack))
