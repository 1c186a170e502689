"""Rules for new home directories on FSx for OpenZFS: deployment type, throughput, capacity and zone."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.model import Design
from config.design.storage.home import (
    FILLED,
    capacity_of,
    declared_home,
    deployment_of,
    throughput_of,
)
from config.diagnostics import Path
from config.profile.storage.home import NewHome
from config.rules.parts import either
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_GUIDE = "https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide"
_CREATE = "https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemOpenZFSConfiguration.html"
_HOME: Path = ("storage", "home")


def _new(design: Design) -> NewHome | None:
    home = declared_home(design.profile)
    return home if isinstance(home, NewHome) else None


@rule(
    "HOM001", ERROR, "the Region offers the deployment type of the home directories",
    why="Some Regions do not offer all single-AZ deployment types of FSx for OpenZFS.",
    source=f"{_GUIDE}/available-aws-regions.html", reads="storage region",
    ages="which deployment types of OpenZFS each Region offers",
    where="home",
)  # fmt: skip
def region_offers_the_type(design: Design) -> Iterator[Finding]:
    """Check the deployment type if the catalogue has the Region."""
    home, facts = _new(design), catalog().openzfs
    if home is None:
        return
    region = design.profile.region
    if facts.offered(region, deployment_of(home).deployment_type) is False:
        types = ("single-az-1", "single-az-2", "single-az-ha-1", "single-az-ha-2")
        offered = [type_ for type_ in types if type_.replace("-", "_").upper() in facts.regions[region]]
        yield Finding(
            at=(*_HOME, "deployment"),
            message=f"{region} does not offer FSx for OpenZFS {home.deployment}",
            hint=f"set `deployment` to {either(offered)}",
        )


@rule(
    "HOM002", ERROR, "the throughput of home directories is valid for the deployment type of the file system",
    why="CreateFileSystem rejects other values of ThroughputCapacity.", source=_CREATE, reads="storage",
    where="home",
)  # fmt: skip
def throughput_is_one_of_its_type(design: Design) -> Iterator[Finding]:
    """Check a declared throughput."""
    home = _new(design)
    choices = deployment_of(home).throughputs_mbps if home else ()
    if home and home.throughput_mbps is not None and home.throughput_mbps not in choices:
        near = sorted(sorted(choices, key=lambda mbps: abs(mbps - (home.throughput_mbps or 0)))[:2])
        yield Finding(
            at=(*_HOME, "throughput_mbps"),
            message=f"{home.throughput_mbps} MB/s is not a valid throughput for {home.deployment}",
            hint=f"set `throughput_mbps` to {either(near)}, or remove `throughput_mbps`",
        )


@rule(
    "HOM003", ERROR, "home directories fit on one file system",
    why="FSx rejects a larger capacity. The maximum depends on the deployment type and the Region.",
    source=f"{_GUIDE}/limits.html", reads="storage region", ages="the maximum capacity of FSx for OpenZFS file systems",
    where="home",
)  # fmt: skip
def capacity_is_not_too_large(design: Design) -> Iterator[Finding]:
    """Check the capacity that the users need."""
    home = _new(design)
    if home is None or throughput_of(home) not in deployment_of(home).speeds:
        return
    kind = deployment_of(home).deployment_type
    most = catalog().openzfs.max_capacity_gib(kind, throughput_of(home), design.profile.region)
    wanted = capacity_of(home)
    if wanted > most:
        yield Finding(
            at=_HOME,
            message=f"{home.users} users with {home.gib_per_user} GiB each need {wanted} GiB (at most {FILLED * 100:.0f} % may be used), but "
            f"a file system of {home.deployment} has at most {most} GiB",
            hint=f"set `gib_per_user: {max(1, int(most * FILLED) // home.users)}`, and store data on Lustre",
        )


@rule(
    "HOM004", WARNING, "home directories are within the default quotas of FSx for OpenZFS",
    why="FSx rejects a file system that exceeds the account's quota in the Region.",
    source=f"{_GUIDE}/limits.html", reads="storage region",
    where="home",
)  # fmt: skip
def home_is_within_the_quotas(design: Design) -> Iterator[Finding]:
    """Check capacity and throughput against the default quotas."""
    home, facts = _new(design), catalog().openzfs
    if home is None:
        return
    region = design.profile.region
    for amount, most, unit in (
        (capacity_of(home), facts.account_quota_gib(region), "GiB"),
        (throughput_of(home), facts.quota_throughput_mbps, "MB/s"),
    ):
        if amount > most:
            yield Finding(
                at=_HOME,
                message=f"{amount} {unit} exceeds the FSx for OpenZFS default quota of {most} {unit}",
                hint="request a higher FSx for OpenZFS quota before you deploy",
            )


@rule(
    "HOM005", ERROR, "the network has an Availability Zone for home directories",
    why="FSx for OpenZFS is not available in Local Zones. Nodes in a Local Zone mount a file system in an Availability Zone of the Region.",
    source=f"{_GUIDE}/available-aws-regions.html", reads="storage network availability_zone availability_zone_id",
    where="home",
)  # fmt: skip
def home_has_a_zone(design: Design) -> Iterator[Finding]:
    """Check that a profile in a Local Zone declares an Availability Zone for the home directories."""
    if _new(design) and design.network and design.network.home_subnet is None:
        yield Finding(
            at=_HOME,
            message=f"FSx for OpenZFS is not available in the Local Zone {design.profile.zone}, and the network has no "
            "Availability Zone",
            hint="add an Availability Zone of the Region to `network.secondary_zones`",
        )


@rule(
    "HOM006", NOTE, "the final backup of home directories is deleted manually",
    why="FSx creates a final backup when it deletes an OpenZFS file system. CloudFormation has no property to skip that backup.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_DeleteFileSystemOpenZFSConfiguration.html",
    reads="storage disposable",
    where="home",
)  # fmt: skip
def final_backup_is_reported(design: Design) -> Iterator[Finding]:
    """Report the final backup of a disposable profile's home directories."""
    if design.profile.disposable and _new(design):
        yield Finding(
            at=("disposable",),
            message="FSx retains and bills a final backup of the home directories after the stack is deleted",
            hint="delete the backup manually; `aws fsx describe-backups` lists the backup",
        )
