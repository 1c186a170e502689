"""What is asked of file systems that exist: whether they are as the profile states them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from config.design.storage.home import HomePlan
from config.design.storage.lustre import LustrePlan
from config.diagnostics import Path
from config.profile.network import ExistingNetwork
from config.rules.preflight import codes
from scripts.cli.preflight.asking import Ask
from scripts.cli.preflight.checks import Check, Found, Verdict, by_id, check, ec2_by_id, needs
from scripts.cli.preflight.place import Place

_HINT = "write what `aws fsx describe-file-systems` tells of it"


def checks(place: Place) -> Iterator[Check]:
    """One check for each file system that the profile says exists."""
    design, asked = place.design, needs("fsx:DescribeFileSystems") + needs("ec2:DescribeSubnets")
    for at, _, plan in design.planned_lustre:
        if plan.existing is not None:
            subject = f"the file system {plan.existing.file_system_id}"
            yield check("FSx", subject, asked, _lustre, place, plan, at)
    if design.owns_home and design.home is not None and design.home.existing is not None:
        subject = f"the file system {design.home.existing.file_system_id}"
        yield check("FSx", subject, asked, _home, place, design.home)


def lustre_faults(told: Mapping[str, Any], plan: LustrePlan) -> list[str]:
    """What of a Lustre file system is otherwise than planned, both figures in each sentence."""
    name = told["FileSystemId"]
    if told.get("FileSystemType") != "LUSTRE":
        return [f"{name} is of the type {told.get('FileSystemType')}, not LUSTRE"]
    settings = told.get("LustreConfiguration", {})
    planned = {
        "deployment type": (plan.kind.deployment.upper().replace("-", "_"), settings.get("DeploymentType")),
        "storage type": (plan.kind.storage.upper().replace("-", "_"), told.get("StorageType")),
        "capacity in GiB": (plan.capacity_gib, told.get("StorageCapacity")),
        "throughput in MB/s per TiB": (
            plan.throughput_mbps_per_tib,
            settings.get("PerUnitStorageThroughput"),
        ),
        "EFA": (plan.efa, bool(settings.get("EfaEnabled", False))),
        "Lustre version": (plan.version, told.get("FileSystemTypeVersion")),
    }
    return _unavailable(told) + [
        f"{name} has the {what} {real}, the plan has {wanted}"
        for what, (wanted, real) in planned.items()
        if wanted is not None and real is not None and wanted != real
    ]


def _unavailable(told: Mapping[str, Any]) -> list[str]:
    state = told.get("Lifecycle")
    return [] if state in ("AVAILABLE", "UPDATING") else [f"{told['FileSystemId']} is {state}, not AVAILABLE"]


def _find(ask: Ask, file_system_id: str) -> Mapping[str, Any] | None:
    return by_id(ask("fsx", "DescribeFileSystems")["FileSystems"], "FileSystemId").get(file_system_id)


def _verdict(place: Place, told: Mapping[str, Any] | None, name: str, at: Path, faults: list[str]) -> Verdict:
    if told is None:
        faults = [f"there is no file system {name} in this account and {place.region}"]
    found = tuple(Found(codes.FILE_SYSTEM, at, one, _HINT) for one in faults)
    said = str(told.get("Lifecycle")) if told is not None else "not there"
    return Verdict(said, found)


def _stands(place: Place, told: Mapping[str, Any], zone: str, ask: Ask) -> Iterator[str]:
    """Where it stands: its VPC, and the zone of its subnet."""
    name, network = told["FileSystemId"], place.design.profile.network
    vpc_id = network.vpc_id if isinstance(network, ExistingNetwork) else None
    if vpc_id is not None and told.get("VpcId") not in (None, vpc_id):
        yield f"{name} is in {told['VpcId']}, the network is {vpc_id}"
    subnets = list(told.get("SubnetIds", ()))
    if not zone or not subnets:
        return
    here = ec2_by_id(ask, "Subnets", "SubnetId", *subnets).get(str(subnets[0]))
    if here is not None and zone not in (here.get("AvailabilityZoneId"), here.get("AvailabilityZone")):
        yield f"{name} lies in {here.get('AvailabilityZoneId')}, the profile says {zone}"


def _lustre(place: Place, plan: LustrePlan, at: Path, ask: Ask) -> Verdict:
    assert plan.existing is not None
    name = plan.existing.file_system_id
    told = _find(ask, name)
    faults: list[str] = []
    if told is not None:
        mount = told.get("LustreConfiguration", {}).get("MountName")
        if mount is not None and mount != plan.existing.mount_name:
            faults.append(f"{name} has the mount name {mount}, the profile says {plan.existing.mount_name}")
        faults += [*lustre_faults(told, plan), *_stands(place, told, plan.existing.zone, ask)]
    return _verdict(place, told, name, (*at, "file_system_id"), faults)


def _home(place: Place, plan: HomePlan, ask: Ask) -> Verdict:
    assert plan.existing is not None
    name = plan.existing.file_system_id
    told = _find(ask, name)
    faults: list[str] = []
    if told is not None:
        if told.get("FileSystemType") != "OPENZFS":
            faults.append(f"{name} is of the type {told.get('FileSystemType')}, not OPENZFS")
        faults += [*_unavailable(told), *_stands(place, told, plan.existing.zone, ask)]
    return _verdict(place, told, name, ("storage", "home", "file_system_id"), faults)
