"""Checks of a data profile: its published parameters, and the resources that they name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from config.design.model import Design
from config.design.network.attachment import (
    EXPRESS_BUCKET,
    FACTS,
    HOME_DNS,
    HOME_ID,
    NODE_SECURITY_GROUP,
    VPC,
    parameter_of,
    subnet_parameter,
)
from config.design.storage.lustre import LustrePlan
from config.design.zones import PRIMARY
from config.rules.preflight import codes
from scripts.cli.preflight.asking import Ask, UnansweredError
from scripts.cli.preflight.checks import Check, Found, Verdict, by_id, check, ec2_by_id, needs, wrong
from scripts.cli.preflight.file_systems import lustre_faults
from scripts.cli.preflight.machines import parameters_of
from scripts.cli.preflight.network import address_fault, own_addresses
from scripts.cli.preflight.place import Place
from scripts.cli.preflight.stack import is_deployed, permissions

_AT = ("data", "profile")


def published(design: Design) -> tuple[str, ...]:
    """Return the names of the parameters that a data profile publishes."""
    attachment, network = design.attachment, design.network
    assert attachment is not None
    assert network is not None
    keys = [VPC, NODE_SECURITY_GROUP, *(subnet_parameter(one.name) for one in network.private_subnets)]
    keys += [parameter_of(system, fact) for system in design.file_systems for fact in FACTS]
    keys += [HOME_DNS, HOME_ID] if design.home else []
    keys += [EXPRESS_BUCKET] if design.express else []
    return tuple(sorted(attachment.path(key) for key in keys))


def read(design: Design) -> tuple[str, ...]:
    """Return the last part of the name of each parameter that a cluster reads from its data profile."""
    home = {design.home.subnet} if design.home and design.owns_home else set()
    accounting = design.hyperpod.accounting if design.hyperpod else None
    database = accounting.subnets if accounting else ()
    control_plane = design.eks.control_plane.subnets if design.eks else ()
    subnets = {PRIMARY, *home, *database, *control_plane, *(group.subnet for group in design.groups)}
    keys = [VPC, NODE_SECURITY_GROUP, *(subnet_parameter(name) for name in sorted(subnets))]
    keys += [parameter_of(system, fact) for system in theirs(design) for fact in FACTS]
    keys += [HOME_DNS, HOME_ID] if design.home and not design.owns_home else []
    keys += [EXPRESS_BUCKET] if design.express and not design.owns_express else []
    return tuple(keys)


def theirs(design: Design) -> tuple[LustrePlan, ...]:
    """Return the data profile's file systems that the cluster mounts."""
    own = {system.name for system in design.own_file_systems}
    return tuple(system for system in design.file_systems if system.name not in own)


def checks(place: Place) -> Iterator[Check]:
    """Yield the checks of the parameters of the data profile; empty without a data profile."""
    design = place.design
    if design.data_profile is None or design.attachment is None or design.owns_network:
        return
    name = design.attachment.prefix.split("/")[2]
    parameters = needs("ssm:GetParameters", place.arn("ssm", f"parameter/ultracluster/{name}/*"))
    yield check("SSM", f"parameters of {name}", parameters, _published, design, name)
    networks = needs("ec2:DescribeVpcs") + needs("ec2:DescribeSubnets") + permissions(place)
    yield check("EC2", f"the network of {name}", parameters + networks, _network, place)
    systems = parameters + needs("fsx:DescribeFileSystems")
    for system in theirs(design):
        yield check("FSx", f"{system.mount_path} of {name}", systems, _file_system, design, system)


def _published(design: Design, name: str, ask: Ask) -> Verdict:
    assert design.attachment is not None
    paths = tuple(design.attachment.path(key) for key in read(design))
    missing = [path for path, value in parameters_of(ask, paths).items() if value is None]
    if not missing:
        return Verdict(f"{len(paths)} exist")
    message = f"{len(missing)} of the {len(paths)} parameters of profile `{name}` do not exist, for example {missing[0]}"
    hint = f"deploy profile `{name}` first, with the settings that this plan uses: the paths depend on the settings"
    return wrong(f"{len(missing)} of {len(paths)} missing", codes.DATA, _AT, message, hint)


def _value(design: Design, key: str, ask: Ask) -> str:
    assert design.attachment is not None
    paths = tuple(design.attachment.path(one) for one in read(design))
    value = parameters_of(ask, paths).get(design.attachment.path(key))
    if value is None:
        raise UnansweredError("the parameter does not exist")
    return value


def _network(place: Place, ask: Ask) -> Verdict:
    design = place.design
    network = design.network
    assert network is not None
    vpc_id = _value(design, VPC, ask)
    vpc = ec2_by_id(ask, "Vpcs", "VpcId", vpc_id).get(vpc_id)
    faults: list[str] = []
    if vpc is None:
        faults.append(f"{vpc_id} no longer exists")
    elif vpc["CidrBlock"] != network.vpc_cidr:
        faults.append(f"{vpc_id} has the CIDR block {vpc['CidrBlock']}, but the plan has {network.vpc_cidr}")
    keys = [key for key in read(design) if key.startswith("subnet-")]
    ids = {key: _value(design, key, ask) for key in keys}
    answer = ec2_by_id(ask, "Subnets", "SubnetId", *sorted(set(ids.values())))
    for subnet in network.subnets:
        subnet_id = ids.get(subnet_parameter(subnet.name))
        if subnet_id is not None:
            faults += _subnet(answer.get(subnet_id), subnet_id, subnet.cidr, subnet.zone)
    subnets = f"{len(ids)} subnet" if len(ids) == 1 else f"{len(ids)} subnets"
    return Verdict(f"{vpc_id}, {subnets}", (*_planned(faults), *_few(place, ids, answer, ask)))


def _planned(faults: Iterable[str]) -> tuple[Found, ...]:
    hint = "deploy the data profile again, or change the data profile to match the deployed resources"
    return tuple(Found(codes.DATA_AS_PLANNED, _AT, fault, hint) for fault in faults)


def _few(
    place: Place, ids: Mapping[str, str], answer: Mapping[str, Mapping[str, Any]], ask: Ask
) -> Iterator[Found]:
    """Yield subnets with too few free addresses; a deployed cluster already has its addresses."""
    network = place.design.network
    for subnet in network.subnets if network else ():
        here = answer.get(ids.get(subnet_parameter(subnet.name), ""))
        if here is None:
            continue
        free = int(here.get("AvailableIpAddressCount", 0))
        wanted = own_addresses(place.design.addresses, subnet.name)
        if free < wanted and not is_deployed(place, ask):
            yield address_fault(str(here["SubnetId"]), free, wanted, ("compute",))


def _subnet(answer: Mapping[str, Any] | None, subnet_id: str, cidr: str, zone: str) -> Iterator[str]:
    if answer is None:
        yield f"{subnet_id} no longer exists"
        return
    if answer["CidrBlock"] != cidr:
        yield f"{subnet_id} has the CIDR block {answer['CidrBlock']}, but the plan has {cidr}"
    if zone not in (answer.get("AvailabilityZoneId"), answer.get("AvailabilityZone")):
        yield f"{subnet_id} is in {answer.get('AvailabilityZoneId')}, but the plan has {zone}"


def _file_system(design: Design, system: LustrePlan, ask: Ask) -> Verdict:
    file_system_id = _value(design, parameter_of(system, "id"), ask)
    answer = by_id(ask("fsx", "DescribeFileSystems")["FileSystems"], "FileSystemId").get(file_system_id)
    faults = (
        [f"the file system {file_system_id} no longer exists"]
        if answer is None
        else lustre_faults(answer, system)
    )
    first = f": {faults[0].partition(', ')[0]}" if faults else ""
    return Verdict(f"{file_system_id}{first}", _planned(faults))
