"""Reject the deletion of EC2 resources in use; EC2's error message names the dependent resource."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_network
from typing import Any, NoReturn

from moto.core.responses import EmptyResult
from moto.ec2.models import EC2Backend
from moto.ec2.responses import EC2Response

from .network_users import uses
from .patch import add
from .records import RefusedError

_delete_subnet: Callable[..., Any] = EC2Backend.delete_subnet
_delete_group: Callable[..., Any] = EC2Backend.delete_security_group
_delete_vpc: Callable[..., Any] = EC2Backend.delete_vpc
_detach: Callable[..., Any] = EC2Backend.detach_internet_gateway
_release: Callable[..., Any] = EC2Backend.release_address
_delete_nat: Callable[..., Any] = EC2Backend.delete_nat_gateway
_disassociate: Callable[..., Any] = EC2Backend.disassociate_vpc_cidr_block


def _refuse(what: str, owner: str) -> NoReturn:
    raise RefusedError("DependencyViolation", f"{what} ({owner})")


def _subnet(self: EC2Backend, subnet_id: str) -> Any:
    for use in uses(self.account_id, self.region_name):
        if subnet_id in use.subnets:
            _refuse(f"The subnet '{subnet_id}' has dependencies and cannot be deleted.", use.owner)
    return _delete_subnet(self, subnet_id)


def _group(self: EC2Backend, name: str | None = None, group_id: str | None = None) -> Any:
    group = self.get_security_group_by_name_or_id(group_id or name or "")
    if group is not None:
        message = f"resource {group.id} has a dependent object"
        for use in uses(self.account_id, self.region_name):
            if group.id in use.groups:
                _refuse(message, use.owner)
        for other in list(self.groups[group.vpc_id or ""].values()):
            rules = [*other.ingress_rules, *other.egress_rules]
            if other.id != group.id and any(r.source_group.get("GroupId") == group.id for r in rules):
                _refuse(message, f"a rule of {other.id}")
    return _delete_group(self, name, group_id)


def _vpc(self: EC2Backend, vpc_id: str) -> Any:
    """Delete a VPC without dependencies; moto itself deletes its subnets and route tables."""
    gateways = [g.id for g in self.internet_gateways.values() if g.vpc and g.vpc.id == vpc_id]
    groups = [group.id for group in self.groups[vpc_id].values() if not group.is_default]
    endpoints = [e.id for e in self.vpc_end_points.values() if e.vpc_id == vpc_id and e.state != "deleted"]
    for owner in (*gateways, *groups, *endpoints):
        _refuse(f"The vpc '{vpc_id}' has dependencies and cannot be deleted.", owner)
    return _delete_vpc(self, vpc_id)


def _internet_gateway(self: EC2Backend, internet_gateway_id: str, vpc_id: str) -> Any:
    for gateway in self.nat_gateways.values():
        public = gateway.state != "deleted" and gateway.connectivity_type != "private"
        if public and gateway.vpc_id == vpc_id:
            message = f"Network {vpc_id} has some mapped public address(es). "
            message += "Please unmap those public address(es) before detaching the gateway."
            _refuse(message, gateway.id)
    return _detach(self, internet_gateway_id, vpc_id)


def _address(self: EC2Backend, address: str | None = None, allocation_id: str | None = None) -> Any:
    """Release an Elastic IP address that is not in use.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ReleaseAddress.html
    """
    found = (
        self.address_by_allocation([allocation_id]) if allocation_id else self.address_by_ip([address or ""])
    )
    if found[0].eni is not None:
        raise RefusedError("InvalidIPAddress.InUse", f"Address {found[0].public_ip} is in use.")
    return _release(self, address, allocation_id)


def _nat_gateway(self: EC2Backend, nat_gateway_id: str) -> Any:
    """Delete a NAT gateway with its interface, and disassociate its address."""
    gateway = self.nat_gateways.get(nat_gateway_id)
    if gateway is None:
        message = f"NatGateway {nat_gateway_id} was not found"
        raise RefusedError("NatGatewayNotFound", message)
    for address in self.addresses:
        if address.eni is gateway._eni:
            address.eni = address.association_id = None
    self.enis.pop(gateway._eni.id, None)
    return _delete_nat(self, nat_gateway_id)


def _address_range(self: EC2Backend, association_id: str) -> Any:
    """Disassociate a CIDR block without subnets.

    Source of the message: https://github.com/hashicorp/terraform-provider-aws/issues/29077
    """
    for vpc in self.vpcs.values():
        block = vpc._cidr_block_association_set.get(association_id, {}).get("cidr_block")
        for subnet in self.describe_subnets(filters={"vpc-id": vpc.id}) if block else ():
            inner, outer = ip_network(subnet.cidr_block), ip_network(block)
            if inner.version == outer.version and inner.overlaps(outer):
                message = f"The vpc {vpc.id} currently has a subnet within CIDR block {block}"
                raise RefusedError("InvalidCidrBlock.InUse", f"{message} ({subnet.id})")
    return _disassociate(self, association_id)


def install() -> None:
    """Replace moto's delete operations of EC2 with operations that check whether the resource is in use."""
    add(
        EC2Backend,
        delete_subnet=_subnet,
        delete_security_group=_group,
        delete_vpc=_vpc,
        detach_internet_gateway=_internet_gateway,
        release_address=_address,
        delete_nat_gateway=_nat_gateway,
        disassociate_vpc_cidr_block=_address_range,
    )
    delete_placement_group: Callable[..., EmptyResult] = getattr(EC2Response, "delete_placement_group")  # noqa: B009

    def placement_group(self: EC2Response) -> EmptyResult:
        name = self._get_param("GroupName")
        for use in uses(self.current_account, self.region):
            if use.placement_group == name:
                message = f"The placement group {name} is in use and may not be deleted. ({use.owner})"
                raise RefusedError("InvalidPlacementGroup.InUse", message)
        return delete_placement_group(self)

    add(EC2Response, delete_placement_group=placement_group)
