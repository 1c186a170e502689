"""A VPC laid out for a GPU cluster."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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
class ClusterNetworkProps:
    """What a cluster network consists of.

    Attributes:
        name: Prefix of every Name tag and of the flow-log group's name (`/ultracluster/<name>/flow-logs`).
        vpc_cidr: The VPC's IPv4 block. EFA clients and an EFA file system must share one /16.
        subnets: All subnets, in any order and any zones, Local Zones included.
        flow_log_retention_days: How long CloudWatch keeps the flow logs.
        retention: Whether VPC, private subnets, private routing and the S3 endpoint outlive the stack.
        nat_gateway_subnet: Name of the public subnet that carries the NAT gateway; it may lie in another zone
            than the machines (a Local Zone's traffic leaves through its parent Region). None: a closed network,
            without internet gateway.
        interface_endpoints: Short service names (`ssm`, `ecr.api`), one interface endpoint each. None by default.
        interface_endpoint_subnets: Names of the subnets that hold the endpoints' interfaces: at most one in a
            zone, and none in a Local Zone, where most services have no endpoints.
        log_key_arn: KMS key for the flow logs. None: the key that CloudWatch owns.
        tags: Tags of every resource that takes them.
    """

    name: str
    vpc_cidr: str
    subnets: Sequence[SubnetProps]
    flow_log_retention_days: int
    retention: Retention
    nat_gateway_subnet: str | None = None
    interface_endpoints: Sequence[str] = ()
    interface_endpoint_subnets: Sequence[str] = ()
    log_key_arn: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


# class ClusterNetwork(Construct): vpc_id: str; subnet_ids: Mapping[str, str]; private_route_table_id: str;
#   s3_endpoint_id: str; nodes_ready: tuple[CfnResource, ...]  (what must exist before a machine can boot)
