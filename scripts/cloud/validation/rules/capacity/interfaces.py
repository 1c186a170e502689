"""Template rules for the network interfaces of an EC2 launch template."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from config.catalog import InstanceType, Interface, InterfaceType, catalog
from config.catalog.network.layouts import layout_faults
from config.rules.deployed import machines as codes
from scripts.cloud.validation.rules.reading import Properties, structure_at, structures_at, text_at
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

TEMPLATE = "AWS::EC2::LaunchTemplate"
_DATA = "LaunchTemplateData"
_AT = f"{_DATA}/NetworkInterfaces"
_KINDS = {kind.value: kind for kind in InterfaceType}
# properties that set or track addresses; an efa-only interface does not have addresses
# (`aws/karpenter-provider-aws:pkg/providers/launchtemplate/launchtemplate.go@1d927085`)
_OF_ADDRESSES = (
    "AssociatePublicIpAddress", "ConnectionTrackingSpecification", "Ipv4PrefixCount", "Ipv4Prefixes",
    "Ipv6AddressCount", "Ipv6Addresses", "Ipv6PrefixCount", "Ipv6Prefixes", "PrivateIpAddress",
    "PrivateIpAddresses", "SecondaryPrivateIpAddressCount",
)  # fmt: skip


def data_of(template: Properties) -> Properties:
    """Return the data of a launch template; empty if it is not known yet."""
    return structure_at(template, _DATA)


def interfaces_of(data: Properties) -> list[Properties]:
    """Return the interfaces in a launch template's data."""
    return [interface for _, interface in structures_at(data, "NetworkInterfaces")]


def misfits(instance: InstanceType, data: Properties) -> Iterator[str]:
    """Yield each conflict between the interfaces and the instance type, if all interfaces are known."""
    written = interfaces_of(data)
    read = [_interface(interface) for interface in written]
    known = tuple(interface for interface in read if interface is not None)
    if written and len(known) == len(written):
        yield from layout_faults(instance.cards, known, instance.max_efa)


def misfits_of_types(data: Properties, names: Iterable[str], at: str) -> Iterator[Violation]:
    """Yield conflicts with the node group's types, if the launch template has no instance type."""
    if data.get("InstanceType") is not None:
        return
    for instance in filter(None, map(catalog().instance, names)):
        for message in misfits(instance, data):
            yield Violation(
                at, f"{instance.name}: {message}", "use the layout in docs/reference/catalogue.md"
            )


def _interface(written: Properties) -> Interface | None:
    card, device = written.get("NetworkCardIndex", 0), written.get("DeviceIndex", 0)
    kind = _KINDS.get(str(written.get("InterfaceType", "interface")))
    if not isinstance(card, int) or not isinstance(device, int) or kind is None:
        return None
    return Interface(network_card_index=card, device_index=device, interface_type=kind)


@rule(codes.INTERFACES_FIT, TEMPLATE)
def interfaces_fit_the_cards(resource: Resource) -> Iterator[Violation]:
    """Check network cards, interface types and device indexes against the template's instance type."""
    instance = catalog().instance(str(text_at(resource.properties, _DATA, "InstanceType")))
    for message in misfits(instance, data_of(resource.properties)) if instance else ():
        yield Violation(
            _AT,
            f"{instance.name}: {message}" if instance else message,
            "use the layout in docs/reference/catalogue.md",
        )


@rule(codes.NO_PUBLIC_ADDRESS, TEMPLATE)
def several_interfaces_have_no_public_address(resource: Resource) -> Iterator[Violation]:
    """Check AssociatePublicIpAddress if there are several interfaces."""
    interfaces = interfaces_of(data_of(resource.properties))
    for number, interface in enumerate(interfaces if len(interfaces) > 1 else ()):
        if interface.get("AssociatePublicIpAddress") is True:
            yield Violation(
                f"{_AT}/{number}/AssociatePublicIpAddress",
                f"AssociatePublicIpAddress is set for an instance with {len(interfaces)} interfaces",
                "remove AssociatePublicIpAddress, and put the instance into a private subnet",
            )


@rule(codes.GROUPS_ON_INTERFACES, TEMPLATE)
def groups_stand_on_the_interfaces(resource: Resource) -> Iterator[Violation]:
    """Check the template's SecurityGroupIds if the template also has interfaces."""
    data = data_of(resource.properties)
    for name in ("SecurityGroupIds", "SecurityGroups"):
        if interfaces_of(data) and data.get(name):
            yield Violation(
                f"{_DATA}/{name}",
                f"{name} is set in a launch template with network interfaces",
                f"remove {name}, and set the security groups in Groups of each interface",
            )


@rule(codes.NO_ADDRESS_ON_EFA_ONLY, TEMPLATE)
def efa_only_has_no_addresses(resource: Resource) -> Iterator[Violation]:
    """Check that an efa-only interface does not have address properties."""
    for number, interface in enumerate(interfaces_of(data_of(resource.properties))):
        only = interface.get("InterfaceType") == InterfaceType.EFA_ONLY
        for name in _OF_ADDRESSES if only else ():
            if interface.get(name):
                yield Violation(
                    f"{_AT}/{number}/{name}",
                    f"{name} is not allowed on an efa-only interface",
                    f"remove {name}",
                )
