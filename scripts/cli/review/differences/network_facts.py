"""Network access that a stack declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import ip_network
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from .stack import Resource, Stack, listed, mappings, named

Topic: TypeAlias = Literal["exposure", "rule", "route", "gateway", "endpoint"]
_WIDEST: Final = {4: 8, 6: 16}
"""Shortest prefix length of a public CIDR block that one organization owns."""
_PUBLIC: Final = {4: ip_network("0.0.0.0/0"), 6: ip_network("2000::/3")}
"""Public address space (https://www.iana.org/assignments/ipv6-address-space/ipv6-address-space.xhtml)."""
_RULES: Final = {"AWS::EC2::SecurityGroupIngress": "in", "AWS::EC2::SecurityGroupEgress": "out"}
_PEERS: Final = (
    "CidrIp",
    "CidrIpv6",
    "SourceSecurityGroupId",
    "DestinationSecurityGroupId",
    "SourcePrefixListId",
    "DestinationPrefixListId",
    "SourceSecurityGroupName",
)
_GATEWAYS: Final = {
    "AWS::EC2::EgressOnlyInternetGateway": "egress-only internet gateway",
    "AWS::EC2::EIP": "public address",
    "AWS::EC2::InternetGateway": "internet gateway",
    "AWS::EC2::NatGateway": "NAT gateway",
    "AWS::EC2::TransitGatewayAttachment": "attachment to a transit gateway",
    "AWS::EC2::VPCPeeringConnection": "peering with another VPC",
}
_TARGETS: Final = (
    "GatewayId",
    "NatGatewayId",
    "EgressOnlyInternetGatewayId",
    "TransitGatewayId",
    "VpcPeeringConnectionId",
    "VpcEndpointId",
    "InstanceId",
    "NetworkInterfaceId",
)
_DESTINATIONS: Final = ("DestinationCidrBlock", "DestinationIpv6CidrBlock", "DestinationPrefixListId")
_BLOCKED: Final = ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets")


class Fact(NamedTuple):
    """One network access: the resource that it belongs to, its description, and whether it is public."""

    topic: Topic
    resource: str
    what: str
    public: bool = False


def facts_of(stack: Stack) -> set[Fact]:
    """Return all network access of a stack."""
    to_internet = {
        named(resource.properties.get("RouteTableId"))
        for resource in stack.values()
        if resource.type == "AWS::EC2::Route" and _leads_out(stack, resource.properties)
    }
    found: set[Fact] = set()
    for name, resource in stack.items():
        found |= set(_rules(name, resource))
        found |= set(_ways(name, resource, stack, to_internet))
        found |= set(_exposures(name, resource))
    return found


def _rules(name: str, resource: Resource) -> Iterator[Fact]:
    """Yield the rules of a security group, which are in the group itself or are separate resources."""
    kind, properties = resource
    if kind in _RULES:
        yield _rule(named(properties.get("GroupId")), _RULES[kind], properties)
    if kind != "AWS::EC2::SecurityGroup":
        return
    for rule in mappings(properties.get("SecurityGroupIngress")):
        yield _rule(name, "in", rule)
    for rule in mappings(properties.get("SecurityGroupEgress")):
        yield _rule(name, "out", rule)
    if not properties.get("SecurityGroupEgress"):
        # EC2 then adds this rule, whether or not there are separate rule resources:
        # https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-ec2-securitygroup.html
        yield Fact(
            "rule",
            name,
            "outbound rule that allows all traffic to 0.0.0.0/0 "
            "(EC2 adds this rule to a group without egress rules)",
        )


def _rule(group: str, way: str, rule: Mapping[str, Any]) -> Fact:
    peer = next((named(rule[key]) for key in _PEERS if key in rule), "an unknown peer")
    peer = "the group itself" if peer == group else peer
    toward = "from" if way == "in" else "to"
    what = f"{way}bound rule that allows {_traffic(rule)} {toward} {peer}"
    return Fact("rule", group, what, way == "in" and _is_world(peer))


def _is_world(peer: str) -> bool:
    try:
        block = ip_network(peer, strict=False)
    except ValueError:
        return False
    return block.prefixlen < _WIDEST[block.version] and block.overlaps(_PUBLIC[block.version])


def _traffic(rule: Mapping[str, Any]) -> str:
    protocol = str(rule.get("IpProtocol", "-1"))
    if protocol == "-1":
        return "all traffic"
    first, last = rule.get("FromPort"), rule.get("ToPort")
    if first is None or str(first) == "-1":
        return protocol
    ports = protocol in ("tcp", "udp", "6", "17")
    if str(first) == str(last):
        return f"{protocol} port {first}" if ports else f"{protocol} {first}"
    return f"{protocol} ports {first} to {last}" if ports else f"{protocol} {first} to {last}"


def _ways(name: str, resource: Resource, stack: Stack, to_internet: set[str]) -> Iterator[Fact]:
    kind, properties = resource
    if kind == "AWS::EC2::Route":
        destination = next((str(properties[key]) for key in _DESTINATIONS if key in properties), "?")
        target = next((named(properties[key]) for key in _TARGETS if key in properties), "?")
        table = named(properties.get("RouteTableId"))
        yield Fact(
            "route",
            table,
            f"route that sends traffic for {destination} to {target}",
            _leads_out(stack, properties),
        )
    elif kind == "AWS::EC2::SubnetRouteTableAssociation":
        table = named(properties.get("RouteTableId"))
        yield Fact(
            "route",
            named(properties.get("SubnetId")),
            f"association with route table {table}",
            table in to_internet,
        )
    elif kind == "AWS::EC2::VPCEndpoint":
        service = properties.get("ServiceName") or properties.get("ResourceConfigurationArn") or "?"
        yield Fact("endpoint", name, f"{properties.get('VpcEndpointType', 'Gateway')} endpoint for {service}")
    elif kind in _GATEWAYS:
        yield Fact("gateway", name, _GATEWAYS[kind], kind == "AWS::EC2::InternetGateway")


def _leads_out(stack: Stack, route: Mapping[str, Any]) -> bool:
    """Return whether a route leads to an internet gateway, so that public addresses are reachable."""
    gateway = named(route.get("GatewayId"))
    found = stack.get(gateway)
    return gateway.startswith("igw-") or (found is not None and found.type == "AWS::EC2::InternetGateway")


def _exposures(name: str, resource: Resource) -> Iterator[Fact]:
    kind, properties = resource
    for what in _public_addresses(kind, properties):
        yield Fact("exposure", name, what, True)
    if kind == "AWS::EKS::Cluster":
        yield from _of_eks(name, properties)
    elif kind == "AWS::S3::Bucket":
        block = properties.get("PublicAccessBlockConfiguration")
        # S3 denies all public access of a new bucket without this configuration
        for key in _BLOCKED:
            if isinstance(block, dict) and not _is_true(block.get(key)):
                yield Fact("exposure", name, f"possible public access ({key} is off)", True)


def _public_addresses(kind: str, properties: Mapping[str, Any]) -> Iterator[str]:
    if kind == "AWS::EC2::Subnet" and _is_true(properties.get("MapPublicIpOnLaunch")):
        yield "public addresses of instances"
    if kind == "AWS::EC2::LaunchTemplate":
        data = properties.get("LaunchTemplateData")
        interfaces = data.get("NetworkInterfaces") if isinstance(data, dict) else None
        if any(_is_true(card.get("AssociatePublicIpAddress")) for card in mappings(interfaces)):
            yield "public addresses of instances"
    if properties.get("Scheme") == "internet-facing":
        yield "internet access to the load balancer"
    if _is_true(properties.get("PubliclyAccessible")):
        yield "public address of the database"


def _of_eks(name: str, properties: Mapping[str, Any]) -> Iterator[Fact]:
    """Yield the exposure of the Kubernetes API, which is public unless the template disables public access.

    https://docs.aws.amazon.com/eks/latest/APIReference/API_VpcConfigRequest.html
    """
    network = properties.get("ResourcesVpcConfig")
    network = network if isinstance(network, dict) else {}
    if not _is_true(network.get("EndpointPublicAccess", True)):
        return
    for cidr in listed(network.get("PublicAccessCidrs")) or ["0.0.0.0/0"]:
        yield Fact("exposure", name, f"access to the Kubernetes API from {cidr}", True)


def _is_true(value: Any) -> bool:
    return str(value).lower() == "true"
