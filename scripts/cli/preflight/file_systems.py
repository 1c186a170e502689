"""Checks that existing file systems match the profile."""

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

_HINT = "copy the values from the output of `aws fsx describe-file-systems`"


def checks(place: Place) -> Iterator[Check]:
    """Yield one check for each existing file system of the profile."""
    design, asked = place.design, needs("fsx:DescribeFileSystems") + needs("ec2:DescribeSubnets")
    for at, _, plan in design.planned_lustre:
        if plan.existing is not None:
            subject = f"the file system {plan.existing.file_system_id}"
            yield check("FSx", subject, asked, _lustre, place, plan, at)
    if design.owns_home and design.home is not None and design.home.existing is not None:
        subject = f"the file system {design.home.existing.file_system_id}"
        yield check("FSx", subject, asked, _home, place, design.home)


def lustre_faults(described: Mapping[str, Any], plan: LustrePlan) -> list[str]:
    """Return the differences between a Lustre file system and its plan, with both values."""
    name = described["FileSystemId"]
    if described.get("FileSystemType") != "LUSTRE":
        return [f"{name} has the type {described.get('FileSystemType')}, not LUSTRE"]
    settings = described.get("LustreConfiguration", {})
    planned = {
        "deployment type": (plan.kind.deployment.upper().replace("-", "_"), settings.get("DeploymentType")),
        "storage type": (plan.kind.storage.upper().replace("-", "_"), described.get("StorageType")),
        "capacity (GiB)": (plan.capacity_gib, described.get("StorageCapacity")),
        "throughput (MB/s per TiB)": (
            plan.throughput_mbps_per_tib,
            settings.get("PerUnitStorageThroughput"),
        ),
        "EFA setting": (plan.efa, bool(settings.get("EfaEnabled", False))),
        "Lustre version": (plan.version, described.get("FileSystemTypeVersion")),
    }
    return _unavailable(described) + [
        f"the {what} of the file system {name} is {real}, but the plan has {wanted}"
        for what, (wanted, real) in planned.items()
        if wanted is not None and real is not None and wanted != real
    ]


def _unavailable(described: Mapping[str, Any]) -> list[str]:
    state = described.get("Lifecycle")
    return (
        []
        if state in ("AVAILABLE", "UPDATING")
        else [f"{described['FileSystemId']} is {state}, not AVAILABLE"]
    )


def _find(ask: Ask, file_system_id: str) -> Mapping[str, Any] | None:
    return by_id(ask("fsx", "DescribeFileSystems")["FileSystems"], "FileSystemId").get(file_system_id)


def _verdict(
    place: Place, described: Mapping[str, Any] | None, name: str, at: Path, faults: list[str]
) -> Verdict:
    if described is None:
        faults = [f"the file system {name} does not exist in this account and {place.region}"]
    found = tuple(Found(codes.FILE_SYSTEM, at, one, _HINT) for one in faults)
    said = str(described.get("Lifecycle")) if described is not None else "does not exist"
    return Verdict(said, found)


def _stands(place: Place, described: Mapping[str, Any], zone: str, ask: Ask) -> Iterator[str]:
    """Yield differences of the VPC and of the subnet's zone."""
    name, network = described["FileSystemId"], place.design.profile.network
    vpc_id = network.vpc_id if isinstance(network, ExistingNetwork) else None
    if vpc_id is not None and described.get("VpcId") not in (None, vpc_id):
        yield f"{name} is in {described['VpcId']}, but the profile's VPC is {vpc_id}"
    subnets = list(described.get("SubnetIds", ()))
    if not zone or not subnets:
        return
    here = ec2_by_id(ask, "Subnets", "SubnetId", *subnets).get(str(subnets[0]))
    if here is not None and zone not in (here.get("AvailabilityZoneId"), here.get("AvailabilityZone")):
        yield f"{name} is in {here.get('AvailabilityZoneId')}, but the profile declares {zone}"


def _lustre(place: Place, plan: LustrePlan, at: Path, ask: Ask) -> Verdict:
    assert plan.existing is not None
    name = plan.existing.file_system_id
    described = _find(ask, name)
    faults: list[str] = []
    if described is not None:
        mount = described.get("LustreConfiguration", {}).get("MountName")
        if mount is not None and mount != plan.existing.mount_name:
            faults.append(
                f"{name} has the mount name {mount}, but the profile declares {plan.existing.mount_name}"
            )
        faults += [*lustre_faults(described, plan), *_stands(place, described, plan.existing.zone, ask)]
    return _verdict(place, described, name, (*at, "file_system_id"), faults)


def _home(place: Place, plan: HomePlan, ask: Ask) -> Verdict:
    assert plan.existing is not None
    name = plan.existing.file_system_id
    described = _find(ask, name)
    faults: list[str] = []
    if described is not None:
        if described.get("FileSystemType") != "OPENZFS":
            faults.append(f"{name} has the type {described.get('FileSystemType')}, not OPENZFS")
        faults += [*_unavailable(described), *_stands(place, described, plan.existing.zone, ask)]
    return _verdict(place, described, name, ("storage", "home", "file_system_id"), faults)
