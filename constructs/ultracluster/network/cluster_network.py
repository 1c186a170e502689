"""VPC for a GPU cluster."""

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
    """A subnet of a cluster network.

    Attributes:
        name: Unique name; part of the logical id and of the Name tag.
        cidr: IPv4 CIDR block in the VPC.
        availability_zone: Zone name (`us-west-2b`). A name can mean a different zone in another account. Set
            either this or `availability_zone_id`.
        availability_zone_id: Zone id (`usw2-az2`) of an Availability Zone or Local Zone, the same in every
            account.
        public: Whether the subnet routes to the internet gateway. The NAT gateway is in a public subnet.
            Instances do not get public addresses in any subnet.
    """

    name: str
    cidr: str
    availability_zone: str | None = None
    availability_zone_id: str | None = None
    public: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterNetworkProps(Tagged):
    """Properties of a cluster network.

    Attributes:
        name: Prefix of Name tags and of the flow log group's name (`/ultracluster/<name>/flow-logs`).
        vpc_cidr: IPv4 CIDR block of the VPC. EFA clients and an EFA file system must be in the same /16.
        subnets: All subnets, in any order and in any zones, including Local Zones.
        flow_log_retention_days: Retention of the flow logs in CloudWatch.
        retention: Whether VPC, private subnets, private routes and S3 endpoints are retained when the stack
            is deleted.
        nat_gateway_subnet: Name of the public subnet that contains the NAT gateway. The gateway may be in
            another zone than the nodes (traffic of a Local Zone leaves through its parent Region). None: a
            closed network without an internet gateway.
        interface_endpoints: Short names (`ssm`, `ecr.api`) of services that get an interface endpoint. Empty
            by default.
        interface_endpoint_subnets: Names of the subnets with endpoints: at most one in each zone, and none in
            a Local Zone, because most services do not have endpoints there.
        s3_express_endpoint: Whether to create a gateway endpoint for S3 Express One Zone directory buckets,
            which is free of charge. False by default.
        log_key_arn: KMS key of the flow logs. None: the key that CloudWatch owns.
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
    """A VPC with private subnets for nodes and file systems, a NAT gateway and VPC endpoints.

    All private subnets use one route table, because there is one NAT gateway. The VPC's default security
    group is not used; CloudFormation cannot change its rules.

    Attributes:
        vpc_id: Id of the VPC.
        subnet_ids: Subnet ids by name, including public subnets.
        private_route_table_id: Route table of all private subnets.
        s3_endpoint_id: S3 gateway endpoint in this route table.
        nodes_ready: Resources that must exist before a node in a private subnet can boot: routes, route
            table associations and endpoints.
    """

    def __init__(self, scope: Construct, construct_id: str, props: ClusterNetworkProps) -> None:
        """Create the network; raises ValueError if the properties contradict each other."""
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
        # retained resources do not have interfaces in a public subnet
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
        raise ValueError(f"subnet names {names} are not unique: set a different name for each subnet")
    for subnet in props.subnets:
        if (subnet.availability_zone is None) == (subnet.availability_zone_id is None):
            raise ValueError(
                f"subnet {subnet.name!r} has zone {subnet.availability_zone!r} and zone id "
                f"{subnet.availability_zone_id!r}: set exactly one of the two"
            )
    if props.nat_gateway_subnet is not None and props.nat_gateway_subnet not in public:
        raise ValueError(
            f"nat_gateway_subnet {props.nat_gateway_subnet!r} is not public: set it to one of {public}"
        )
    if props.nat_gateway_subnet is None and public:
        raise ValueError(
            f"a closed network has public subnets {public}: remove them, or set nat_gateway_subnet"
        )
    unknown = sorted(set(props.interface_endpoint_subnets) - set(names))
    if unknown:
        raise ValueError(f"interface_endpoint_subnets {unknown} are not subnets: use names from {names}")
    if props.interface_endpoints and not props.interface_endpoint_subnets:
        raise ValueError(
            f"interface endpoints {sorted(props.interface_endpoints)} have no subnets: "
            f"set interface_endpoint_subnets to one subnet per zone, from {names}"
        )
