"""The address budget: who takes how many IPv4 addresses of which subnet."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.compute import GroupPlan
from config.design.network import PRIMARY, NetworkPlan
from config.design.storage import LustrePlan


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressUse:
    """One consumer of addresses: `count` of them, `each` address apiece, in one subnet."""

    subnet: str
    consumer: str
    count: int
    each: int

    @property
    def total(self) -> int:
        """Addresses in all."""
        return self.count * self.each


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressBudget:
    """All consumers of a network's addresses."""

    uses: tuple[AddressUse, ...]

    def needed(self, subnet: str) -> int:
        """Addresses that the consumers of one subnet take."""
        return sum(use.total for use in self.uses if use.subnet == subnet)


def plan_addresses(
    network: NetworkPlan, groups: tuple[GroupPlan, ...], lustre: LustrePlan | None
) -> AddressBudget:
    """The address budget of a cluster in its network."""
    uses = [
        AddressUse(
            subnet=group.subnet,
            consumer=f"nodes of {group.name}",
            count=group.count,
            each=group.addresses_per_node,
        )
        for group in groups
    ]
    if lustre:
        uses.append(AddressUse(subnet=PRIMARY, consumer="Lustre servers", count=lustre.addresses, each=1))
    uses += [
        AddressUse(
            subnet=subnet, consumer="interface endpoints", count=len(network.interface_endpoints), each=1
        )
        for subnet in network.endpoint_subnets
    ]
    if network.nat_subnet:
        uses.append(AddressUse(subnet=network.nat_subnet, consumer="NAT gateway", count=1, each=1))
    return AddressBudget(uses=tuple(uses))
