"""Home directories that FSx for OpenZFS makes, and that last."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.model import Design
from config.design.storage.home import (
    FILLED,
    capacity_of,
    deployment_of,
    stated_home,
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
    home = stated_home(design.profile)
    return home if isinstance(home, NewHome) else None


@rule(
    "HOM001", ERROR, "home directories are of a deployment type that the Region offers",
    why="Not every Region has every single-zone type of FSx for OpenZFS.",
    source=f"{_GUIDE}/available-aws-regions.html", reads="storage region",
    ages="which deployment types of OpenZFS each Region offers",
    where="home",
)  # fmt: skip
def region_offers_the_type(design: Design) -> Iterator[Finding]:
    """The deployment type; a Region that no source speaks of is not judged."""
    home, facts = _new(design), catalog().openzfs
    if home is None:
        return
    region = design.profile.region
    if facts.offered(region, deployment_of(home).deployment_type) is False:
        words = ("single-az-1", "single-az-2", "single-az-ha-1", "single-az-ha-2")
        offered = [w for w in words if w.replace("-", "_").upper() in facts.regions[region]]
        yield Finding(
            at=(*_HOME, "deployment"),
            message=f"{region} does not offer {home.deployment}",
            hint=f"use {either(offered)}",
        )


@rule(
    "HOM002", ERROR, "home directories have a throughput of their deployment type",
    why="CreateFileSystem refuses other values of ThroughputCapacity.", source=_CREATE, reads="storage",
    where="home",
)  # fmt: skip
def throughput_is_one_of_its_type(design: Design) -> Iterator[Finding]:
    """A stated throughput."""
    home = _new(design)
    choices = deployment_of(home).throughputs_mbps if home else ()
    if home and home.throughput_mbps is not None and home.throughput_mbps not in choices:
        near = sorted(sorted(choices, key=lambda mbps: abs(mbps - (home.throughput_mbps or 0)))[:2])
        yield Finding(
            at=(*_HOME, "throughput_mbps"),
            message=f"{home.throughput_mbps} MB/s is not a throughput of {home.deployment}",
            hint=f"use {either(near)}, or take the key out",
        )


@rule(
    "HOM003", ERROR, "home directories are not larger than a file system can be",
    why="FSx refuses more, and what a type takes differs from Region to Region.",
    source=f"{_GUIDE}/limits.html", reads="storage region", ages="how large a file system of OpenZFS can be",
    where="home",
)  # fmt: skip
def capacity_is_not_too_large(design: Design) -> Iterator[Finding]:
    """The capacity that the users ask for."""
    home = _new(design)
    if home is None or throughput_of(home) not in deployment_of(home).speeds:
        return
    kind = deployment_of(home).deployment_type
    most = catalog().openzfs.max_capacity_gib(kind, throughput_of(home), design.profile.region)
    wanted = capacity_of(home)
    if wanted > most:
        yield Finding(
            at=_HOME,
            message=f"{home.users} users with {home.gib_per_user} GiB each ask for {wanted} GiB, "
            f"{home.deployment} takes {most}",
            hint=f"use `gib_per_user: {max(1, int(most * FILLED) // home.users)}`, and Lustre for data",
        )


@rule(
    "HOM004", WARNING, "home directories are within the default quotas",
    why="An account has so much of OpenZFS in a Region until a quota is raised.",
    source=f"{_GUIDE}/limits.html", reads="storage region",
    where="home",
)  # fmt: skip
def home_is_within_the_quotas(design: Design) -> Iterator[Finding]:
    """Capacity and throughput against the defaults."""
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
                message=f"{amount} {unit} is above the default quota of {most} {unit} of OpenZFS",
                hint="ask for a higher quota of FSx for OpenZFS before deploying",
            )


@rule(
    "HOM005", ERROR, "home directories stand in a zone of the Region",
    why="FSx for OpenZFS is not in Local Zones: nodes there reach it in a zone of the Region.",
    source=f"{_GUIDE}/available-aws-regions.html", reads="storage network availability_zone availability_zone_id",
    where="home",
)  # fmt: skip
def home_has_a_zone(design: Design) -> Iterator[Finding]:
    """A zone for it where the nodes are in a Local Zone."""
    if _new(design) and design.network and design.network.home_subnet is None:
        yield Finding(
            at=_HOME,
            message=f"{design.profile.zone} is a Local Zone, which has no OpenZFS, and the network has no other zone",
            hint="name a zone of the Region in `network.secondary_zones`",
        )


@rule(
    "HOM006", NOTE, "what a disposable profile leaves behind is known",
    why="FSx takes a final backup of an OpenZFS file system when it is deleted, and CloudFormation cannot say no to it.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_DeleteFileSystemOpenZFSConfiguration.html",
    reads="storage disposable",
    where="home",
)  # fmt: skip
def final_backup_is_known(design: Design) -> Iterator[Finding]:
    """Home directories of a disposable profile."""
    if design.profile.disposable and _new(design):
        yield Finding(
            at=("disposable",),
            message="a final backup of the home directories stays, and is billed, when the stack is deleted",
            hint="delete it by hand: `aws fsx describe-backups` lists it",
        )
