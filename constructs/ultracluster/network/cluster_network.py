"""A VPC laid out for a GPU cluster."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from aws_cdk import CfnResource
from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, tag_list
from ultracluster.network.endpoints import add_gateway_endpoint, add_interface_endpoints
from ultracluster.network.flow_logs import add_flow_logs
from ultracluster.network.internet_access import add_internet_access
from ultracluster.retention import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class SubnetProps:
    """One subnet of a cluster network.

    Attributes:
        name: Names the subnet among its siblings; part of its logical id and of its Name tag.
        cidr: The IPv4 block, within the VPC's.
        availability_zone: The zone by name (`us-west-2b`), which means another place in each account. Give
            either this or `availability_zone_id`.
        availability_zone_id: The zone by id (`usw2-az2`), the same place in every account. Local Zones too.
        public: Whether the subnet routes to the internet gateway. Public subnets carry the NAT gateway; no
            subnet gives machines a public address at launch.
    """

    name: str
    cidr: str
    availability_zone: str | None = None
    availability_zone_id: str | None = None
    public: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterNetworkProps(Tagged):
    """What a cluster network consists of.

    Attributes:
        name: Prefix of every Name tag and of the flow-log group's name (`/ultracluster/<name>/flow-logs`).
        vpc_cidr: The VPC's IPv4 block. EFA clients and an EFA file system must share one /16.
        subnets: All subnets, in any order and any zones, Local Zones included.
        flow_log_retention_days: How long CloudWatch keeps the flow logs.
        retention: Whether VPC, private subnets, private routing and the endpoints of S3 outlive the stack.
        nat_gateway_subnet: Name of the public subnet that carries the NAT gateway; it may lie in another zone
            than the machines (a Local Zone's traffic leaves through its parent Region). None: a closed
            network, without internet gateway.
        interface_endpoints: Short service names (`ssm`, `ecr.api`), one interface endpoint each. None by
            default.
        interface_endpoint_subnets: Names of the subnets that hold the endpoints' interfaces: at most one in a
            zone, and none in a Local Zone, where most services have no endpoints.
        s3_express_endpoint: Whether private subnets reach directory buckets of S3 Express One Zone through a
            gateway endpoint, which is free. False by default.
        log_key_arn: KMS key for the flow logs. None: the key that CloudWatch owns.
    """

    name: str
    vpc_cidr: str
    subnets: Sequence[SubnetProps]
    flow_log_retention_days: int
    retention: Retention
    nat_gateway_subnet: str | None = None
    interface_endpoints: Sequence[str] = ()
    interface_endpoint_subnets: Sequence[str] = ()
    s3_express_endpoint: bool = False
    log_key_arn: str | None = None


class ClusterNetwork(Construct):
    """A VPC with private subnets for machines and file systems, and what they need from outside.

    One private route table serves every private subnet: with one NAT gateway there is one way out. The VPC's
    default security group is left unused; CloudFormation cannot change its rules.

    Attributes:
        vpc_id: The VPC.
        subnet_ids: Subnet ids by name, public ones included.
        private_route_table_id: Route table of all private subnets.
        s3_endpoint_id: The gateway endpoint on it.
        nodes_ready: What must exist before a machine in a private subnet can boot: routes, their associations
            and endpoints.
    """

    def __init__(self, scope: Construct, construct_id: str, props: ClusterNetworkProps) -> None:
        """Create the network; raises ValueError where the props contradict each other."""
        super().__init__(scope, construct_id)
        _check(props)
        self.vpc_id = self._add_vpc(props)
        self.subnet_ids = {
            subnet.name: self._add_subnet(props, subnet)
            for subnet in sorted(props.subnets, key=lambda subnet: subnet.name)
        }
        self.private_route_table_id = add_resource(
            self,
            "PrivateRouteTable",
            "AWS::EC2::RouteTable",
            {"VpcId": self.vpc_id, "Tags": tag_list(props.tags, f"{props.name}-private")},
            retention=props.retention,
        ).ref
        s3_endpoints = self._add_s3_endpoints(props)
        self.s3_endpoint_id = s3_endpoints[0].ref
        self.nodes_ready = (
            *s3_endpoints,
            *self._add_private_routing(props),
            *self._add_interface_endpoints(props),
        )
        add_flow_logs(
            self,
            name=props.name,
            vpc_id=self.vpc_id,
            retention_days=props.flow_log_retention_days,
            key_arn=props.log_key_arn,
            tags=props.tags,
        )

    def _add_vpc(self, props: ClusterNetworkProps) -> str:
        properties = {
            "CidrBlock": props.vpc_cidr,
            "EnableDnsSupport": True,
            "EnableDnsHostnames": True,
            "Tags": tag_list(props.tags, props.name),
        }
        return add_resource(self, "Resource", "AWS::EC2::VPC", properties, retention=props.retention).ref

    def _add_subnet(self, props: ClusterNetworkProps, subnet: SubnetProps) -> str:
        properties = {
            "VpcId": self.vpc_id,
            "CidrBlock": subnet.cidr,
            "AvailabilityZone": subnet.availability_zone,
            "AvailabilityZoneId": subnet.availability_zone_id,
            "MapPublicIpOnLaunch": False,
            "Tags": tag_list(props.tags, f"{props.name}-{subnet.name}"),
        }
        # nothing that is retained has an interface in a public subnet
        retention = Retention.DISPOSABLE if subnet.public else props.retention
        return add_resource(
            self, f"Subnet-{subnet.name}", "AWS::EC2::Subnet", properties, retention=retention
        ).ref

    def _add_private_routing(self, props: ClusterNetworkProps) -> list[CfnResource]:
        ready = [
            add_resource(
                self,
                f"RouteTableAssociation-{subnet.name}",
                "AWS::EC2::SubnetRouteTableAssociation",
                {"RouteTableId": self.private_route_table_id, "SubnetId": self.subnet_ids[subnet.name]},
                retention=props.retention,
            )
            for subnet in sorted(props.subnets, key=lambda subnet: subnet.name)
            if not subnet.public
        ]
        if props.nat_gateway_subnet is not None:
            nat_gateway_id = add_internet_access(
                self,
                name=props.name,
                vpc_id=self.vpc_id,
                public_subnet_ids={
                    subnet.name: self.subnet_ids[subnet.name] for subnet in props.subnets if subnet.public
                },
                nat_subnet=props.nat_gateway_subnet,
                tags=props.tags,
            )
            properties = {
                "RouteTableId": self.private_route_table_id,
                "DestinationCidrBlock": "0.0.0.0/0",
                "NatGatewayId": nat_gateway_id,
            }
            ready.append(add_resource(self, "PrivateDefaultRoute", "AWS::EC2::Route", properties))
        return ready

    def _add_s3_endpoints(self, props: ClusterNetworkProps) -> list[CfnResource]:
        return [
            add_gateway_endpoint(
                self,
                service,
                name=props.name,
                vpc_id=self.vpc_id,
                route_table_id=self.private_route_table_id,
                retention=props.retention,
                tags=props.tags,
            )
            for service in _gateways(props)
        ]

    def _add_interface_endpoints(self, props: ClusterNetworkProps) -> list[CfnResource]:
        return add_interface_endpoints(
            self,
            name=props.name,
            vpc_id=self.vpc_id,
            vpc_cidr=props.vpc_cidr,
            services=props.interface_endpoints,
            subnet_ids=[self.subnet_ids[name] for name in sorted(props.interface_endpoint_subnets)],
            tags=props.tags,
        )


def _gateways(props: ClusterNetworkProps) -> tuple[Literal["s3", "s3express"], ...]:
    return ("s3", "s3express") if props.s3_express_endpoint else ("s3",)


def _check(props: ClusterNetworkProps) -> None:
    names = sorted(subnet.name for subnet in props.subnets)
    public = sorted(subnet.name for subnet in props.subnets if subnet.public)
    if len(set(names)) != len(names):
        raise ValueError(f"subnet names {names} are not unique: give each subnet its own name")
    for subnet in props.subnets:
        if (subnet.availability_zone is None) == (subnet.availability_zone_id is None):
            raise ValueError(
                f"subnet {subnet.name!r} has zone {subnet.availability_zone!r} and zone id "
                f"{subnet.availability_zone_id!r}: give exactly one of the two"
            )
    if props.nat_gateway_subnet is not None and props.nat_gateway_subnet not in public:
        raise ValueError(
            f"nat_gateway_subnet {props.nat_gateway_subnet!r} is not a public subnet: name one of {public}"
        )
    if props.nat_gateway_subnet is None and public:
        raise ValueError(f"a closed network has public subnets {public}: leave them out or name a NAT subnet")
    unknown = sorted(set(props.interface_endpoint_subnets) - set(names))
    if unknown:
        raise ValueError(f"interface_endpoint_subnets {unknown} are not subnets: name some of {names}")
    if props.interface_endpoints and not props.interface_endpoint_subnets:
        raise ValueError(
            f"interface endpoints {sorted(props.interface_endpoints)} have no subnets: "
            f"name one per zone in interface_endpoint_subnets, of {names}"
        )
