"""Deployment steps of a network, and the steps that nodes depend on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from config.design.deployment.steps import Steps
from config.design.model import Design
from config.design.network.plan import NetworkPlan

_ENDPOINT = "AWS::EC2::VPCEndpoint"


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkSteps:
    """Steps that later layers depend on; all are empty for an existing network.

    `rules` are the steps that security groups and their rules depend on. `nodes_ready` are the routes and
    endpoints that a node needs to boot.
    """

    subnets: Mapping[str, str] = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    nodes_ready: tuple[str, ...] = ()

    def subnet(self, *names: str) -> tuple[str, ...]:
        """Return the steps that create the subnets with these names."""
        return tuple(self.subnets[name] for name in names if name in self.subnets)


def network_steps(design: Design, steps: Steps) -> NetworkSteps:
    """Add the network resources that the profile's stack creates."""
    plan = design.network
    if plan is None or not design.owns_network or plan.existing_vpc_id is not None:
        return NetworkSteps()
    vpc = steps.add("vpc", "AWS::EC2::VPC", "VPC", ())
    subnets = {
        subnet.name: steps.add(f"subnet {subnet.name}", "AWS::EC2::Subnet", f"subnet {subnet.name}", (vpc,))
        for subnet in plan.subnets
    }
    private = steps.add("private routes", "AWS::EC2::RouteTable", "private route table", (vpc,))
    ready = [private, *(subnets[subnet.name] for subnet in plan.private_subnets)]
    gateways = ("S3", "S3 Express") if plan.s3_express_endpoint else ("S3",)
    ready += [
        steps.add(f"endpoint {name}", _ENDPOINT, f"{name} gateway endpoint", (vpc, private))
        for name in gateways
    ]
    ready += _interface_endpoints(plan, steps, vpc, subnets)
    if plan.nat_subnet is not None:
        ready.append(_nat_gateway(plan, plan.nat_subnet, steps, vpc, subnets))
    return NetworkSteps(subnets=subnets, rules=(vpc,), nodes_ready=tuple(ready))


def _interface_endpoints(plan: NetworkPlan, steps: Steps, vpc: str, subnets: Mapping[str, str]) -> list[str]:
    places = [subnets[name] for name in plan.endpoint_subnets]
    return [
        steps.add(f"endpoint {name}", _ENDPOINT, f"{name} interface endpoint", (vpc, *places))
        for name in plan.interface_endpoints
    ]


def _nat_gateway(plan: NetworkPlan, place: str, steps: Steps, vpc: str, subnets: Mapping[str, str]) -> str:
    """Add the NAT gateway after the public route table, which is associated with every public subnet."""
    routes = steps.add("public routes", "AWS::EC2::RouteTable", "public route table", (vpc,))
    public = [subnets[subnet.name] for subnet in plan.subnets if subnet.public]
    return steps.add("nat", "AWS::EC2::NatGateway", "NAT gateway", (vpc, routes, subnets[place], *public))
