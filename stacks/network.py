"""Network layer: maps the network plan to props."""

from __future__ import annotations

from constructs import Construct

from config.design.network.plan import NetworkPlan, SubnetPlan
from config.profile.model import Profile
from stacks.common import retention_of, tags_of
from stacks.foundation import NodeNetwork
from ultracluster.network import (
    ClusterNetwork,
    ClusterNetworkProps,
    NodeSecurityGroup,
    NodeSecurityGroupProps,
    SubnetProps,
)


def add_network(scope: Construct, profile: Profile, plan: NetworkPlan) -> NodeNetwork:
    """Add a new VPC, or use the existing one, and add the security group of the nodes."""
    if plan.existing_vpc_id is None:
        network = ClusterNetwork(scope, "Vpc", network_props(profile, plan))
        vpc_id, subnet_ids, ready = network.vpc_id, dict(network.subnet_ids), network.nodes_ready
    else:
        vpc_id, subnet_ids, ready = plan.existing_vpc_id, {s.name: s.id or "" for s in plan.subnets}, ()
    nodes = NodeSecurityGroup(
        scope,
        "Nodes",
        NodeSecurityGroupProps(
            vpc_id=vpc_id,
            name=f"{profile.name}-nodes",
            description=f"Nodes of the cluster {profile.name}: EFA among themselves",
            retention=retention_of(profile),
            internet_egress=not plan.closed,
            vpc_cidr=plan.vpc_cidr,
            tags=tags_of(profile),
        ),
    )
    return NodeNetwork(
        vpc_id=vpc_id,
        subnet_ids=subnet_ids,
        node_security_group_id=nodes.security_group_id,
        security_group_rules=tuple(nodes.rules),
        nodes_ready=tuple(ready),
    )


def network_props(profile: Profile, plan: NetworkPlan) -> ClusterNetworkProps:
    """Return the props of a new VPC."""
    return ClusterNetworkProps(
        name=profile.name,
        vpc_cidr=plan.vpc_cidr,
        subnets=[_subnet(subnet) for subnet in plan.subnets],
        flow_log_retention_days=plan.flow_log_retention_days,
        retention=retention_of(profile),
        nat_gateway_subnet=plan.nat_subnet,
        interface_endpoints=plan.interface_endpoints,
        interface_endpoint_subnets=plan.endpoint_subnets,
        s3_express_endpoint=plan.s3_express_endpoint,
        tags=tags_of(profile),
    )


def _subnet(subnet: SubnetPlan) -> SubnetProps:
    return SubnetProps(
        name=subnet.name,
        cidr=subnet.cidr,
        availability_zone=None if subnet.zone_is_id else subnet.zone,
        availability_zone_id=subnet.zone if subnet.zone_is_id else None,
        public=subnet.public,
    )
