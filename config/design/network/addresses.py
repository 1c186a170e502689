"""Address budget: the IPv4 addresses that each consumer needs in each subnet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from config.design.network.plan import NetworkPlan
from config.design.storage.home import HomePlan
from config.design.storage.lustre import MAIN, LustrePlan
from config.design.zones import PRIMARY, is_local_zone


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressUse:
    """A consumer of addresses in a subnet: `count` units with `each` addresses."""

    subnet: str
    consumer: str
    count: int
    each: int

    @property
    def total(self) -> int:
        """Total number of addresses."""
        return self.count * self.each


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressBudget:
    """All consumers of a network's addresses."""

    uses: tuple[AddressUse, ...]

    def needed(self, subnet: str) -> int:
        """Return the number of addresses that a subnet needs."""
        return sum(use.total for use in self.uses if use.subnet == subnet)


_EKS_INTERFACES = 6
"""Addresses that EKS requires in each subnet of its control plane
(https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html; it recommends 16)."""

_PCS_INTERFACES = 1
"""Addresses that a PCS controller uses in its subnet
(https://docs.aws.amazon.com/pcs/latest/userguide/working-with_networking_vpc-requirements.html)."""


def plan_addresses(
    network: NetworkPlan,
    nodes: Iterable[AddressUse],
    file_systems: tuple[LustrePlan, ...],
    home: HomePlan | None,
    control_plane: str | None = None,
    database_subnets: tuple[str, ...] = (),
) -> AddressBudget:
    """Return the address budget of a cluster; `control_plane` is the `kind` of its orchestrator."""
    uses = [*nodes]
    uses += [
        AddressUse(
            subnet=PRIMARY,
            consumer="Lustre servers" if system.name == MAIN else f"Lustre servers of {system.name}",
            count=system.addresses,
            each=1,
        )
        for system in file_systems
        if system.existing is None  # an existing file system already has its addresses
    ]
    if home and home.addresses:
        uses.append(AddressUse(subnet=home.subnet, consumer="home directories", count=home.addresses, each=1))
    uses += [
        AddressUse(
            subnet=subnet, consumer="interface endpoints", count=len(network.interface_endpoints), each=1
        )
        for subnet in network.endpoint_subnets
    ]
    uses += _control_plane(network, control_plane)
    # Aurora selects one of the subnets, so each needs a free address
    uses += [
        AddressUse(subnet=name, consumer="accounting database", count=1, each=1) for name in database_subnets
    ]
    if network.nat_subnet:
        uses.append(AddressUse(subnet=network.nat_subnet, consumer="NAT gateway", count=1, each=1))
    return AddressBudget(uses=tuple(uses))


def _control_plane(network: NetworkPlan, kind: str | None) -> list[AddressUse]:
    if kind == "pcs":
        subnets, each, consumer = [PRIMARY], _PCS_INTERFACES, "PCS controller"
    elif kind in ("eks", "hyperpod-eks"):
        # EKS does not create control plane interfaces in a Local Zone
        subnets = [subnet.name for subnet in network.private_subnets if not is_local_zone(subnet.zone)]
        each, consumer = _EKS_INTERFACES, "EKS control plane"
    else:
        return []
    return [AddressUse(subnet=name, consumer=consumer, count=each, each=1) for name in subnets]
