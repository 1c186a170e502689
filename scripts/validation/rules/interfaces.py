"""What EC2 refuses of a launch template's network interfaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from config.catalog import InstanceType, InterfaceType, catalog
from config.rules import deployed

from .registry import Refusal, Resource, rule

_TYPE = "AWS::EC2::LaunchTemplate"
_DATA = "LaunchTemplateData"
_AT = f"{_DATA}/NetworkInterfaces"
Interface = Mapping[str, Any]


def _interfaces(resource: Resource) -> list[Interface]:
    found = resource.get(_DATA, "NetworkInterfaces")
    return found if isinstance(found, list) else []


@rule(deployed.INTERFACES_FIT, _TYPE)
def interfaces_fit_the_cards(resource: Resource) -> Iterator[Refusal]:
    """Cards, kinds and device indexes of the instance type that the template names."""
    instance = catalog().instance(str(resource.get(_DATA, "InstanceType")))
    interfaces = _interfaces(resource)
    if instance is None or not interfaces:
        return
    for number, interface in enumerate(interfaces):
        told = _misfit(instance, interface)
        if told:
            yield Refusal(f"{_AT}/{number}", told, "use the layout of docs/catalogue.md")
    efa = sum("efa" in str(i.get("InterfaceType", "")) for i in interfaces)
    if efa > instance.max_efa:
        yield Refusal(_AT, f"{efa} EFA interfaces, {instance.name} takes {instance.max_efa}", "take some out")
    places = Counter((i.get("NetworkCardIndex", 0), i.get("DeviceIndex", 0)) for i in interfaces)
    for card, device in sorted(place for place, times in places.items() if times > 1):
        yield Refusal(_AT, f"two interfaces at card {card}, device {device}", "give each its own place")


def _misfit(instance: InstanceType, interface: Interface) -> str | None:
    index, device = int(interface.get("NetworkCardIndex", 0)), int(interface.get("DeviceIndex", 0))
    kind = InterfaceType(str(interface.get("InterfaceType", "interface")))
    card = next((card for card in instance.cards if card.index == index), None)
    if card is None:
        return f"{instance.name} has no network card {index}"
    if device >= max(2, card.max_interfaces):
        return f"device index {device} on card {index}: it is 0 or 1"
    if kind not in card.supports:
        return f"card {index} of {instance.name} takes no {kind}"
    if index == 0 and device == 0 and not kind.has_address:
        return f"{kind} cannot be the primary interface"
    return None


@rule(deployed.NO_PUBLIC_ADDRESS, _TYPE)
def several_interfaces_have_no_public_address(resource: Resource) -> Iterator[Refusal]:
    """AssociatePublicIpAddress beside a second interface."""
    interfaces = _interfaces(resource)
    for number, interface in enumerate(interfaces if len(interfaces) > 1 else ()):
        if interface.get("AssociatePublicIpAddress") is True:
            yield Refusal(
                f"{_AT}/{number}/AssociatePublicIpAddress",
                f"a public address beside {len(interfaces)} interfaces",
                "take it out: such nodes belong in private subnets",
            )


@rule(deployed.GROUPS_ON_INTERFACES, _TYPE)
def groups_stand_on_the_interfaces(resource: Resource) -> Iterator[Refusal]:
    """SecurityGroupIds of the template beside interfaces."""
    if _interfaces(resource) and resource.get(_DATA, "SecurityGroupIds"):
        yield Refusal(
            f"{_DATA}/SecurityGroupIds",
            "security groups of the template beside its interfaces",
            "write them as Groups of every interface",
        )


RULES = (
    interfaces_fit_the_cards,
    several_interfaces_have_no_public_address,
    groups_stand_on_the_interfaces,
)
