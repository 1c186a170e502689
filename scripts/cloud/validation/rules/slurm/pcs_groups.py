"""Template rules for PCS compute node groups: sizes, instance types, launch templates and roles."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator

from config.catalog import catalog
from config.rules.deployed import machines
from config.rules.deployed import pcs as codes
from scripts.cloud.validation.later import is_later
from scripts.cloud.validation.rules.capacity.interfaces import TEMPLATE, data_of, misfits_of_types
from scripts.cloud.validation.rules.capacity.launches import BLOCK_MARKET, buys, names_a_reservation
from scripts.cloud.validation.rules.reading import (
    Properties,
    number_at,
    structures_at,
    text_at,
    texts_at,
    value_at,
)
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

from .pcs_facts import GROUP

_PATH, _NAME = "/aws-pcs/", "AWSPCS"


def _template(resource: Resource) -> Properties | None:
    """Return the data of the group's launch template; None if the stack does not create it."""
    template = resource.at(TEMPLATE, "CustomLaunchTemplate", "TemplateId")
    return data_of(template.properties) if template else None


@rule(codes.SCALING, GROUP)
def scaling_is_static_or_dynamic(resource: Resource) -> Iterator[Violation]:
    """Check that MinInstanceCount is equal to MaxInstanceCount or 0."""
    least = number_at(resource.properties, "ScalingConfiguration", "MinInstanceCount")
    most = number_at(resource.properties, "ScalingConfiguration", "MaxInstanceCount")
    if least is None or most is None:
        return
    if not (0 < least == most or least == 0 < most):
        yield Violation(
            "ScalingConfiguration",
            f"MinInstanceCount is {least} and MaxInstanceCount is {most}; PCS requires equal values above 0 "
            "(static), or 0 and a higher value (dynamic)",
            f"set MaxInstanceCount to {most or 1}, and MinInstanceCount to 0 or {most or 1}",
        )


@rule(codes.BLOCK_TEMPLATE, GROUP)
def blocks_have_a_launch_template(resource: Resource) -> Iterator[Violation]:
    """Check the launch template of a group with PurchaseOption CAPACITY_BLOCK."""
    option = text_at(resource.properties, "PurchaseOption")
    blocked = option == "CAPACITY_BLOCK"
    if blocked and resource.properties.get("CustomLaunchTemplate") is None:
        message = "PurchaseOption CAPACITY_BLOCK requires a launch template"
        yield Violation(
            "CustomLaunchTemplate", message, "add a launch template that names the Capacity Block"
        )
    data = _template(resource)
    if data is None:
        return
    if blocked:
        wanted = {
            "MarketType capacity-block": buys(data, BLOCK_MARKET),
            "CapacityReservationTarget": names_a_reservation(data),
            "InstanceType": data.get("InstanceType") is not None,
        }
        for name in (name for name, there in wanted.items() if not there):
            yield Violation("CustomLaunchTemplate", f"the launch template does not set {name}", f"set {name}")
    elif buys(data, BLOCK_MARKET) and not is_later(resource.properties.get("PurchaseOption")):
        message = (
            f"PurchaseOption {option or 'ONDEMAND'} differs from MarketType {BLOCK_MARKET} in the template"
        )
        yield Violation("PurchaseOption", message, "set PurchaseOption: CAPACITY_BLOCK, or remove MarketType")


@rule(codes.SPOT_OPTIONS, GROUP)
def spot_options_stand_on_spot(resource: Resource) -> Iterator[Violation]:
    """Check that SpotOptions is set only with PurchaseOption SPOT."""
    if is_later(resource.properties.get("PurchaseOption")):
        return
    option = text_at(resource.properties, "PurchaseOption") or "ONDEMAND"
    if value_at(resource.properties, "SpotOptions") is not None and option != "SPOT":
        yield Violation(
            "SpotOptions",
            f"SpotOptions is not allowed with PurchaseOption {option}",
            "remove SpotOptions, or set PurchaseOption: SPOT",
        )


@rule(codes.ALIKE, GROUP)
def instance_types_are_alike(resource: Resource) -> Iterator[Violation]:
    """Check that all instance types have the same architecture, vCPUs and GPUs."""
    found = [instance for instance in map(catalog().instance, _types(resource)) if instance is not None]
    kinds = {(i.arch, i.vcpus, i.gpu.count if i.gpu else 0) for i in found}
    if len(kinds) > 1:
        message = "the instance types of the group differ: " + "; ".join(
            f"{i.name} is {i.arch} with {i.vcpus} vCPUs and {i.gpu.count if i.gpu else 0} GPUs" for i in found
        )
        yield Violation("InstanceConfigs", message, "create one group for each type")


def _types(resource: Resource) -> list[str]:
    return [
        str(config.get("InstanceType")) for _, config in structures_at(resource.properties, "InstanceConfigs")
    ]


@rule(machines.INTERFACES_FIT, GROUP)
def interfaces_fit_the_types(resource: Resource) -> Iterator[Violation]:
    """Check the launch template's interfaces, if the template does not set the instance type."""
    data = _template(resource)
    if data is not None:
        yield from misfits_of_types(data, _types(resource), "CustomLaunchTemplate")


@rule(codes.USER_DATA, GROUP)
def user_data_is_multipart(resource: Resource) -> Iterator[Violation]:
    """Check that the launch template's UserData is MIME multipart, if it is known."""
    text = text_at(_template(resource) or {}, "UserData")
    if text is None:
        return
    try:
        head = base64.b64decode(text, validate=True)[:200].decode("utf-8", "replace").lstrip().lower()
    except (binascii.Error, ValueError):
        return
    if not head.startswith(("content-type: multipart/", "mime-version:")):
        message = "the launch template's user data is not MIME multipart"
        yield Violation(
            "CustomLaunchTemplate",
            message,
            "write the user data as MIME multipart, for example with ec2.MultipartUserData",
        )


@rule(codes.ROLE, GROUP)
def role_is_named_for_pcs(resource: Resource) -> Iterator[Violation]:
    """Check the name and the path of the instance profile's role, if the stack sets them."""
    profile = resource.at("AWS::IAM::InstanceProfile", "IamInstanceProfileArn")
    for _, reference in texts_at(profile.properties, "Roles") if profile else ():
        role = resource.named(reference, "AWS::IAM::Role")
        name = text_at(role.properties, "RoleName") if role else None
        path = text_at(role.properties, "Path") if role else None
        if name is not None and not name.startswith(_NAME) and path != _PATH:
            message = f"role {name} has neither a name that starts with {_NAME} nor the path {_PATH}"
            yield Violation("IamInstanceProfileArn", message, f"set Path: {_PATH} on the role")
