"""Constructs of networks and security groups."""

from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack

from tests.stack.library import library_set
from tests.stack.library.support import REGION, Synthesized, depends_on, lint_findings, synthesize
from ultracluster.network import (
    ClusterNetwork,
    ClusterNetworkProps,
    NodeSecurityGroup,
    NodeSecurityGroupProps,
    SubnetProps,
)
from ultracluster.retention import Retention

pytestmark = pytest.mark.synth

CLOSED = ClusterNetworkProps(
    name="closed",
    vpc_cidr="10.0.0.0/16",
    subnets=[subnet for subnet in library_set.SUBNETS if not subnet.public],
    interface_endpoints=["sts", "ssm"],
    interface_endpoint_subnets=["nodes"],
    flow_log_retention_days=30,
    retention=Retention.RETAIN,
)


@pytest.fixture(scope="module")
def network() -> Synthesized:
    return synthesize(lambda stack: library_set.add_network(stack, Retention.RETAIN))


@pytest.fixture(scope="module")
def closed() -> Synthesized:
    def build(stack: Stack) -> None:
        network = ClusterNetwork(stack, "vpc", CLOSED)
        NodeSecurityGroup(
            stack,
            "nodes",
            NodeSecurityGroupProps(
                vpc_id=network.vpc_id,
                name="closed",
                description="Machines",
                retention=Retention.RETAIN,
                internet_egress=False,
                vpc_cidr="10.0.0.0/16",
            ),
        )

    return synthesize(build)


def test_hyperpod_05_public_route_waits_for_the_gateways_attachment(network: Synthesized) -> None:
    attachment, _ = network.named("AWS::EC2::VPCGatewayAttachment")
    _, route = network.named("AWS::EC2::Route", "Public")
    _, address = network.named("AWS::EC2::EIP")
    assert depends_on(route) == [attachment]
    assert depends_on(address) == [attachment]


def test_nat_gateway_waits_for_its_subnets_way_out(network: Synthesized) -> None:
    _, nat_gateway = network.named("AWS::EC2::NatGateway")
    route, _ = network.named("AWS::EC2::Route", "Public")
    assert route in depends_on(nat_gateway)
    subnet, _ = network.named("AWS::EC2::Subnet", "public")
    assert nat_gateway["Properties"]["SubnetId"] == {"Ref": subnet}


def test_private_subnets_share_one_route_table_with_the_s3_endpoint(network: Synthesized) -> None:
    table, _ = network.named("AWS::EC2::RouteTable", "Private")
    _, endpoint = network.named("AWS::EC2::VPCEndpoint", "S3")
    assert endpoint["Properties"]["RouteTableIds"] == [{"Ref": table}]
    assert endpoint["Properties"]["VpcEndpointType"] == "Gateway"
    associated = [
        association["Properties"]["SubnetId"]["Ref"]
        for association in network.of_type("AWS::EC2::SubnetRouteTableAssociation").values()
        if association["Properties"]["RouteTableId"] == {"Ref": table}
    ]
    private = [key for key in network.of_type("AWS::EC2::Subnet") if "public" not in key]
    assert sorted(associated) == sorted(private)


def test_no_subnet_hands_out_public_addresses(network: Synthesized) -> None:
    for subnet in network.of_type("AWS::EC2::Subnet").values():
        assert subnet["Properties"]["MapPublicIpOnLaunch"] is False


def test_the_vpc_resolves_names(network: Synthesized) -> None:
    vpc = network.properties("AWS::EC2::VPC")
    assert (vpc["EnableDnsSupport"], vpc["EnableDnsHostnames"]) == (True, True)


def test_zone_ids_are_kept_as_ids(network: Synthesized) -> None:
    subnet = network.properties("AWS::EC2::Subnet", "nodes")
    assert subnet["AvailabilityZoneId"] == "usw2-az2"
    assert "AvailabilityZone" not in subnet


def test_flow_logs_may_write_their_group_and_nothing_else(network: Synthesized) -> None:
    group, _ = network.named("AWS::Logs::LogGroup")
    (policy,) = network.properties("AWS::IAM::Role")["Policies"]
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert statement["Resource"] == {"Fn::GetAtt": [group, "Arn"]}
    assert network.properties("AWS::EC2::FlowLog")["TrafficType"] == "ALL"


def test_directory_buckets_have_a_gateway_where_they_are_asked_for(closed: Synthesized) -> None:
    def build(stack: Stack) -> None:
        ClusterNetwork(stack, "vpc", replace(CLOSED, s3_express_endpoint=True))

    express = synthesize(build)
    logical_id, endpoint = express.named("AWS::EC2::VPCEndpoint", "S3Express")
    _, gateway = express.named("AWS::EC2::VPCEndpoint", "S3Endpoint")
    assert endpoint["Properties"]["ServiceName"] == {"Fn::Sub": "com.amazonaws.${AWS::Region}.s3express"}
    for name in ("VpcEndpointType", "VpcId", "RouteTableIds"):
        assert endpoint["Properties"][name] == gateway["Properties"][name]
    assert endpoint["DeletionPolicy"] == gateway["DeletionPolicy"]
    assert set(express.resources) - set(closed.resources) == {logical_id}


def test_endpoints_answer_the_vpc_over_tls_only(network: Synthesized) -> None:
    group = network.properties("AWS::EC2::SecurityGroup", "Endpoint")
    (rule,) = group["SecurityGroupIngress"]
    assert (rule["CidrIp"], rule["FromPort"], rule["ToPort"]) == ("10.0.0.0/16", 443, 443)


def test_endpoints_lie_in_the_named_subnets_in_order(network: Synthesized) -> None:
    endpoint = network.properties("AWS::EC2::VPCEndpoint", "ssm")
    nodes, _ = network.named("AWS::EC2::Subnet", "nodes")
    second, _ = network.named("AWS::EC2::Subnet", "second")
    assert endpoint["SubnetIds"] == [{"Ref": nodes}, {"Ref": second}]
    assert endpoint["PrivateDnsEnabled"] is True
    assert endpoint["ServiceName"] == {"Fn::Sub": "com.amazonaws.${AWS::Region}.ssm"}


def test_a_closed_network_has_no_way_to_the_internet(closed: Synthesized) -> None:
    types = {resource["Type"] for resource in closed.resources.values()}
    assert not types & {
        "AWS::EC2::InternetGateway",
        "AWS::EC2::NatGateway",
        "AWS::EC2::EIP",
        "AWS::EC2::Route",
    }
    assert lint_findings(closed.template) == []


def test_hyperpod_07_members_reach_each_other_both_ways_by_group_id(network: Synthesized) -> None:
    group, _ = network.named("AWS::EC2::SecurityGroup", "nodes")
    itself = {"Fn::GetAtt": [group, "GroupId"]}
    ingress = network.properties("AWS::EC2::SecurityGroupIngress")
    egress = network.properties("AWS::EC2::SecurityGroupEgress")
    assert (ingress["GroupId"], ingress["SourceSecurityGroupId"], ingress["IpProtocol"]) == (
        itself,
        itself,
        "-1",
    )
    assert (egress["GroupId"], egress["DestinationSecurityGroupId"], egress["IpProtocol"]) == (
        itself,
        itself,
        "-1",
    )


def test_egress_is_open_only_where_asked(network: Synthesized, closed: Synthesized) -> None:
    def egress(template: Synthesized) -> list[tuple[Any, ...]]:
        rules = template.properties("AWS::EC2::SecurityGroup", "nodes")["SecurityGroupEgress"]
        return [(rule["CidrIp"], rule["IpProtocol"], rule.get("ToPort")) for rule in rules]

    assert egress(network) == [("0.0.0.0/0", "-1", None)]
    assert egress(closed) == [("10.0.0.0/16", "-1", None), ("0.0.0.0/0", "tcp", 443)]


NODES = SubnetProps(name="nodes", cidr="10.0.0.0/20", availability_zone=f"{REGION}a")
PUBLIC = replace(NODES, name="public", public=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"subnets": [NODES, NODES]}, "not unique"),
        ({"subnets": [replace(NODES, availability_zone=None)]}, "exactly one"),
        ({"subnets": [replace(NODES, availability_zone_id="usw2-az1")]}, "exactly one"),
        ({"subnets": [NODES, PUBLIC], "nat_gateway_subnet": "nodes"}, r"set it to one of \['public'\]"),
        ({"subnets": [NODES, PUBLIC]}, "closed network has public subnets"),
        ({"interface_endpoint_subnets": ["elsewhere"]}, "elsewhere"),
        ({"interface_endpoint_subnets": []}, "have no subnets"),
    ],
)
def test_contradicting_network_props_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ClusterNetwork(Stack(), "vpc", replace(CLOSED, **change))


def test_a_closed_group_without_the_vpcs_block_is_refused() -> None:
    props = NodeSecurityGroupProps(
        vpc_id="vpc-1", name="n", description="d", retention=Retention.RETAIN, internet_egress=False
    )
    with pytest.raises(ValueError, match="vpc_cidr is None"):
        NodeSecurityGroup(Stack(), "nodes", props)
