"""Validation of OpenZFS file systems on SSD: sizes, zones and backups."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.catalog.storage.openzfs import OpenZfsDeployment
from config.design.zones import is_local_zone
from config.rules.codes import CODES
from config.rules.deployed import openzfs as codes
from config.rules.parts import either
from scripts.cloud.validation.rules.reading import (
    Properties,
    items_at,
    number_at,
    structure_at,
    text_at,
    texts_at,
    value_at,
)
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

from .lustre import SYSTEM

_CONFIGURATION = "OpenZFSConfiguration"
_THROUGHPUT, _IOPS = f"{_CONFIGURATION}/ThroughputCapacity", f"{_CONFIGURATION}/DiskIopsConfiguration"
_ZONE = ("AvailabilityZoneId", "AvailabilityZone")


def openzfs_of(resource: Resource) -> Properties:
    """Return the OpenZFS configuration of a new file system on SSD, empty for other file systems."""
    properties = resource.properties
    if "BackupId" in properties or properties.get("StorageType") not in (None, "SSD"):
        return {}
    return structure_at(properties, _CONFIGURATION)


def _deployment(resource: Resource) -> OpenZfsDeployment | None:
    kind = text_at(openzfs_of(resource), "DeploymentType")
    return catalog().openzfs.deployments.get(kind or "")


@rule(CODES["HOM001"], SYSTEM)
def region_offers_the_type(resource: Resource) -> Iterator[Violation]:
    """Check DeploymentType in Regions that the catalogue knows."""
    facts, kind = catalog().openzfs, _deployment(resource)
    if kind is not None and facts.offered(resource.region, kind.deployment_type) is False:
        yield Violation(
            f"{_CONFIGURATION}/DeploymentType",
            f"{resource.region} does not offer {kind.deployment_type}",
            f"use {either(facts.regions[resource.region])}",
        )


@rule(CODES["HOM002"], SYSTEM)
def throughput_is_one_of_its_type(resource: Resource) -> Iterator[Violation]:
    """Check ThroughputCapacity."""
    kind, mbps = _deployment(resource), number_at(openzfs_of(resource), "ThroughputCapacity")
    if kind is not None and mbps is not None and mbps not in kind.speeds:
        message = f"{mbps} MB/s is not valid for {kind.deployment_type}"
        yield Violation(_THROUGHPUT, message, f"use {either(kind.throughputs_mbps)}")


@rule(codes.STATES_ITS_SIZE, SYSTEM)
def capacity_is_set(resource: Resource) -> Iterator[Violation]:
    """Check that StorageCapacity and ThroughputCapacity are set, because the schema does not require them."""
    least = catalog().openzfs.min_gib
    if _deployment(resource) is None:
        return
    if "ThroughputCapacity" not in openzfs_of(resource):
        yield Violation(
            _THROUGHPUT, "ThroughputCapacity is missing", "set a throughput of the deployment type"
        )
    gib = number_at(resource.properties, "StorageCapacity")
    if "StorageCapacity" not in resource.properties or (gib is not None and gib < least):
        message = "StorageCapacity is missing" if gib is None else f"a capacity of {gib} GiB is too small"
        yield Violation("StorageCapacity", message, f"use {least} GiB or more")


@rule(CODES["HOM003"], SYSTEM)
def capacity_is_not_too_large(resource: Resource) -> Iterator[Violation]:
    """Check StorageCapacity against the maximum of the deployment type in the Region."""
    kind, gib = _deployment(resource), number_at(resource.properties, "StorageCapacity")
    mbps = number_at(openzfs_of(resource), "ThroughputCapacity")
    if kind is None or gib is None or mbps not in kind.speeds:
        return
    most = catalog().openzfs.max_capacity_gib(kind.deployment_type, mbps or 0, resource.region)
    if gib > most:
        message = (
            f"{gib} GiB exceeds {most}, the maximum of {kind.deployment_type} at {mbps} MB/s "
            f"in {resource.region}"
        )
        yield Violation("StorageCapacity", message, f"use at most {most}, or a second file system")


@rule(CODES["HOM005"], SYSTEM)
def subnets_are_in_the_region(resource: Resource) -> Iterator[Violation]:
    """Check that SubnetIds are not in Local Zones, if the stack creates the subnets."""
    if not openzfs_of(resource):
        return
    for number, identity in texts_at(resource.properties, "SubnetIds"):
        subnet = resource.named(identity, "AWS::EC2::Subnet")
        declared = (text_at(subnet.properties, n) if subnet else None for n in _ZONE)
        for zone in (name for name in declared if name and is_local_zone(name)):
            use = "use a subnet in an Availability Zone of the Region"
            yield Violation(
                f"SubnetIds/{number}", f"FSx for OpenZFS is not available in the Local Zone {zone}", use
            )


@rule(codes.SUBNETS_OF_ITS_ZONES, SYSTEM)
def subnet_count_fits_the_type(resource: Resource) -> Iterator[Violation]:
    """Check the number of SubnetIds, and PreferredSubnetId if the type has two subnets."""
    kind, subnets = _deployment(resource), items_at(resource.properties, "SubnetIds")
    if kind is None or not subnets:
        return
    if len(subnets) != kind.zones:
        wanted = "1 subnet" if kind.zones == 1 else f"{kind.zones} subnets"
        message = f"{kind.deployment_type} requires {wanted}, not {len(subnets)}"
        yield Violation("SubnetIds", message, f"set {wanted}")
    elif kind.zones > 1 and "PreferredSubnetId" not in openzfs_of(resource):
        path = f"{_CONFIGURATION}/PreferredSubnetId"
        yield Violation(path, "two subnets require PreferredSubnetId", "set the subnet of the nodes")


@rule(codes.BACKUP_DAYS, SYSTEM)
def backup_retention_is_valid(resource: Resource) -> Iterator[Violation]:
    """Check AutomaticBackupRetentionDays."""
    most, name = catalog().openzfs.backup_days_max, "AutomaticBackupRetentionDays"
    days = number_at(openzfs_of(resource), name)
    if days is not None and not 0 <= days <= most:
        yield Violation(
            f"{_CONFIGURATION}/{name}", f"a retention of {days} days is not valid", f"use 0 to {most} days"
        )


@rule(codes.DISK_IOPS, SYSTEM)
def disk_iops_fit(resource: Resource) -> Iterator[Violation]:
    """Check DiskIopsConfiguration against capacity and type."""
    declared = structure_at(openzfs_of(resource), "DiskIopsConfiguration")
    iops, mode = number_at(declared, "Iops"), value_at(declared, "Mode")
    kind, gib = _deployment(resource), number_at(resource.properties, "StorageCapacity")
    if iops is None or kind is None or gib is None:
        return
    least = catalog().openzfs.automatic_iops(gib, kind.deployment_type)
    if mode == "AUTOMATIC":
        message = f"Iops {iops} is not allowed with Mode AUTOMATIC, which provides {least}"
        yield Violation(f"{_IOPS}/Iops", message, "remove Iops, or set Mode: USER_PROVISIONED")
    elif not least <= iops <= kind.max_iops:
        message = f"{iops} disk IOPS are not valid for {gib} GiB on {kind.deployment_type}"
        yield Violation(f"{_IOPS}/Iops", message, f"use {least} to {kind.max_iops}")
