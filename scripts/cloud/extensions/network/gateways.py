"""NAT gateways and endpoints: checks that referenced resources exist and are not in use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moto.ec2.models import EC2Backend

from scripts.cloud.extensions.existence import missing_network
from scripts.cloud.extensions.patch import adds
from scripts.cloud.extensions.records import RefusedError

_create_nat: Callable[..., Any] = EC2Backend.create_nat_gateway
_create_endpoint: Callable[..., Any] = EC2Backend.create_vpc_endpoint
_prefix_lists: Callable[[EC2Backend], None] = EC2Backend.create_default_pls


@adds(EC2Backend, "create_nat_gateway")
def _nat_gateway(self: EC2Backend, subnet_id: str, allocation_id: str | None, **settings: Any) -> Any:
    self.get_subnet(subnet_id)
    addresses = [a for a in self.addresses if a.allocation_id == allocation_id]
    if allocation_id and not addresses:
        message = f"The allocation ID '{allocation_id}' does not exist"
        raise RefusedError("InvalidAllocationID.NotFound", message)
    if allocation_id and addresses[0].eni is not None:
        message = f"resource {allocation_id} is already associated with another resource"
        raise RefusedError("Resource.AlreadyAssociated", message)
    return _create_nat(self, subnet_id, allocation_id, **settings)


@adds(EC2Backend, "create_vpc_endpoint")
def _endpoint(self: EC2Backend, vpc_id: str, service_name: str, **settings: Any) -> Any:
    where = (self.account_id, self.region_name)
    for name, code in (("subnet_ids", "InvalidSubnetId"), ("security_group_ids", "InvalidSecurityGroupId")):
        wanted = settings.get(name) or []
        pair = (wanted, []) if name == "subnet_ids" else ([], wanted)
        for missing in missing_network(*where, *pair):
            raise RefusedError(f"{code}.NotFound", f"The id '{missing}' does not exist")
    for table in settings.get("route_table_ids") or []:
        self.get_route_table(table)
    if settings.get("private_dns_enabled") and settings.get("endpoint_type") == "Interface":
        _require_free_name(self, vpc_id, service_name)
    return _create_endpoint(self, vpc_id, service_name, **settings)


def _require_free_name(backend: EC2Backend, vpc_id: str, service_name: str) -> None:
    """Check that private DNS names are not in use.

    https://docs.aws.amazon.com/vpc/latest/privatelink/create-interface-endpoint.html
    """
    for other in backend.vpc_end_points.values():
        same = (other.vpc_id, other.service_name, other.state) == (vpc_id, service_name, "available")
        if same and other.private_dns_enabled:
            message = "private-dns-enabled cannot be set because there is already a conflicting DNS domain "
            raise RefusedError(
                "InvalidParameter", f"{message}for {service_name} in the VPC {vpc_id} ({other.id})"
            )


@adds(EC2Backend, "create_default_pls")
def _all_prefix_lists(self: EC2Backend) -> None:
    """Add the prefix list of S3 Express; routes to the S3 Express gateway endpoint use the list.

    Source: https://docs.aws.amazon.com/vpc/latest/userguide/working-with-aws-managed-prefix-lists.html
    """
    _prefix_lists(self)
    name = f"com.amazonaws.{self.region_name}.s3express"
    self._create_aws_managed_prefix_list(name=name, address_family="IPv4", entries=[])
