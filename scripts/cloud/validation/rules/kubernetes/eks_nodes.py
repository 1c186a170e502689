"""Template rules for EKS managed node groups and their launch templates."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.rules.deployed import eks as codes
from config.rules.deployed import machines
from scripts.cloud.validation.rules.capacity.interfaces import (
    TEMPLATE,
    data_of,
    interfaces_of,
    misfits_of_types,
)
from scripts.cloud.validation.rules.capacity.launches import BLOCK_MARKET, buys, names_a_reservation
from scripts.cloud.validation.rules.reading import Properties, items_at, number_at, text_at, value_at
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

_GROUP = "AWS::EKS::Nodegroup"
# sources: LaunchTemplateSpecification in the API reference, launch-templates.html in the user guide
_NOT_THEIRS = ("HibernationOptions", "IamInstanceProfile", "InstanceInitiatedShutdownBehavior")
_PAIRS = (
    ("UpdateConfig", "MaxUnavailable", "MaxUnavailablePercentage"),
    ("NodeRepairConfig", "MaxParallelNodesRepairedCount", "MaxParallelNodesRepairedPercentage"),
    ("NodeRepairConfig", "MaxUnhealthyNodeThresholdCount", "MaxUnhealthyNodeThresholdPercentage"),
)


def _has_template(resource: Resource) -> bool:
    return resource.properties.get("LaunchTemplate") is not None


def _template(resource: Resource) -> Properties | None:
    """Return the data of the group's launch template, if the stack creates it."""
    template = resource.at(TEMPLATE, "LaunchTemplate", "Id") or resource.at(
        TEMPLATE, "LaunchTemplate", "Name"
    )
    return data_of(template.properties) if template else None


@rule(codes.TEMPLATE_LEAVES_IT, _GROUP)
def template_leaves_what_is_the_groups(resource: Resource) -> Iterator[Violation]:
    """Report properties that a node group's launch template must not have."""
    data = _template(resource) or {}
    found = [name for name in _NOT_THEIRS if data.get(name) is not None]
    found += ["SubnetId" for interface in interfaces_of(data) if interface.get("SubnetId") is not None][:1]
    found += ["MarketType spot"] if buys(data, "spot") else []
    for name in found:
        yield Violation(
            "LaunchTemplate", f"the launch template has {name}", f"remove {name} from the launch template"
        )


@rule(codes.BESIDE_TEMPLATE, _GROUP)
def template_states_disk_and_access(resource: Resource) -> Iterator[Violation]:
    """Report DiskSize and RemoteAccess if the node group has a launch template."""
    for name in ("DiskSize", "RemoteAccess") if _has_template(resource) else ():
        if value_at(resource.properties, name) is not None:
            yield Violation(
                name,
                f"{name} is not allowed on a group with a launch template",
                f"remove {name}, and set its value in the launch template",
            )


@rule(codes.TYPE_ONCE, _GROUP)
def type_is_declared_once(resource: Resource) -> Iterator[Violation]:
    """Report InstanceTypes if the launch template already has an InstanceType."""
    data = _template(resource) or {}
    if data.get("InstanceType") is not None and items_at(resource.properties, "InstanceTypes"):
        message = "the group has InstanceTypes, but its launch template already has an InstanceType"
        yield Violation("InstanceTypes", message, "remove InstanceTypes or InstanceType")


@rule(codes.BLOCK_TEMPLATE, _GROUP)
def blocks_have_a_launch_template(resource: Resource) -> Iterator[Violation]:
    """Check the launch template if CapacityType is CAPACITY_BLOCK."""
    if resource.properties.get("CapacityType") != "CAPACITY_BLOCK":
        return
    data = _template(resource)
    if not _has_template(resource):
        yield Violation(
            "LaunchTemplate",
            "CapacityType CAPACITY_BLOCK requires a launch template",
            "add a launch template that names the Capacity Block",
        )
    elif data is not None:
        wanted = {
            "MarketType capacity-block": buys(data, BLOCK_MARKET),
            "CapacityReservationTarget": names_a_reservation(data),
            "InstanceType": data.get("InstanceType") is not None,
        }
        for name in (name for name, there in wanted.items() if not there):
            yield Violation("LaunchTemplate", f"the launch template does not set {name}", f"set {name}")


@rule(codes.IMAGE_FITS, _GROUP)
def image_has_the_machines_architecture(resource: Resource) -> Iterator[Violation]:
    """Check that the instance types support the AmiType."""
    kind = text_at(resource.properties, "AmiType")
    if kind in (None, "CUSTOM"):
        return
    arch = "arm64" if "ARM_64" in kind.upper() else "x86_64"
    for name in _types(resource):
        instance = catalog().instance(name)
        if instance is not None and instance.arch != arch:
            use = (
                f"use {' or '.join(instance.eks_ami_types)}"
                if instance.eks_ami_types
                else f"use an AMI type for {instance.arch}"
            )
            yield Violation("AmiType", f"{kind} does not run on {name}, which is {instance.arch}", use)


def _types(resource: Resource) -> list[str]:
    own = (_template(resource) or {}).get("InstanceType")
    return (
        [str(own)]
        if own is not None
        else [str(name) for name in items_at(resource.properties, "InstanceTypes")]
    )


@rule(machines.INTERFACES_FIT, _GROUP)
def interfaces_fit_the_types(resource: Resource) -> Iterator[Violation]:
    """Check a launch template's interfaces against the group's types, if the template has no type."""
    data = _template(resource)
    if data is not None:
        yield from misfits_of_types(data, _types(resource), "LaunchTemplate")


@rule(codes.IMAGE_ONCE, _GROUP)
def image_is_declared_once(resource: Resource) -> Iterator[Violation]:
    """Report AmiType if the launch template already has an ImageId."""
    kind, image = text_at(resource.properties, "AmiType"), (_template(resource) or {}).get("ImageId")
    if kind not in (None, "CUSTOM") and image is not None:
        yield Violation(
            "AmiType",
            f"the group has AmiType {kind}, but its launch template has an ImageId",
            "remove AmiType or ImageId",
        )


@rule(codes.SCALING, _GROUP)
def sizes_are_in_order(resource: Resource) -> Iterator[Violation]:
    """Check the order of the values in ScalingConfig."""
    names = ("MinSize", "DesiredSize", "MaxSize")
    sizes = {name: number_at(resource.properties, "ScalingConfig", name) for name in names}
    declared = [size for size in sizes.values() if size is not None]
    if declared != sorted(declared):
        message = f"the sizes are not in order: {', '.join(f'{name} {size}' for name, size in sizes.items())}"
        yield Violation(
            "ScalingConfig", message, "set MinSize to at most DesiredSize, and DesiredSize to at most MaxSize"
        )


@rule(codes.COUNT_OR_SHARE, _GROUP)
def a_count_or_a_share(resource: Resource) -> Iterator[Violation]:
    """Report settings that have both a count and a percentage."""
    for home, count, share in _PAIRS:
        declared = [value_at(resource.properties, home, name) for name in (count, share)]
        if None not in declared:
            yield Violation(home, f"{count} and {share} are both set", f"remove {count} or {share}")
