"""Home directories of a design: capacity, throughput and subnet."""

from __future__ import annotations

import math
from dataclasses import dataclass

from config.catalog import catalog
from config.catalog.storage.openzfs import OpenZfsDeployment
from config.design.storage.lustre import ExistingFileSystem
from config.design.zones import PRIMARY
from config.profile.model import Profile
from config.profile.storage.home import AnyHome, ExistingHome, NewHome
from config.profile.storage.lustre import Backups

FILLED = 0.8
"""Share of the capacity for the users' data; the rest is headroom."""

_MBPS_PER_USER = 8
"""Throughput per user; ultracluster chose this value, because AWS does not publish one."""

_LEAST_MBPS = 128
"""Minimum throughput; with less, work with many small files is slow
(https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/performance-ssd.html)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePlan:
    """Home directories on OpenZFS: capacity in GiB and throughput in MB/s, None for an existing file system.

    `subnet` is the name of a subnet in the network plan: the primary subnet, or a subnet in an Availability
    Zone if the nodes are in a Local Zone. `addresses` counts one address per server, and one more for an -ha-
    type. AWS does not document the number of addresses; this is our estimate.
    """

    existing: ExistingFileSystem | None
    mount_path: str
    subnet: str
    users: int | None
    deployment: OpenZfsDeployment | None
    capacity_gib: int | None
    throughput_mbps: int | None
    compression: str
    backups: Backups | None
    weekly_maintenance_start: str
    key_arn: str | None

    @property
    def addresses(self) -> int:
        """IP addresses that the file system uses in its subnet; 0 for an existing file system."""
        if self.deployment is None:
            return 0
        return self.deployment.file_servers + int(self.deployment.highly_available)

    @property
    def mount_options(self) -> tuple[str, ...]:
        """NFS options with which nodes mount the home directories."""
        facts = catalog().openzfs
        # the throughput of an existing file system is not known: use sizes that work with each throughput
        throughput = self.throughput_mbps or min(facts.io_bytes_small, default=0)
        return facts.mount_options(throughput)


def declared_home(profile: Profile | None) -> AnyHome | None:
    """Return the home directories that a profile declares, None if it declares none."""
    return profile.storage.home if profile and profile.storage else None


def plan_home(profile: Profile | None, subnet: str | None) -> HomePlan | None:
    """Return the home directories; None if the profile has none, or if their type or subnet is not valid."""
    home = declared_home(profile)
    if home is None:
        return None
    if isinstance(home, ExistingHome):
        return _existing(home)
    deployment = deployment_of(home)
    throughput = throughput_of(home)
    if throughput not in deployment.speeds or subnet is None:
        return None
    return HomePlan(
        existing=None,
        mount_path=home.mount_path,
        subnet=subnet,
        users=home.users,
        deployment=deployment,
        capacity_gib=capacity_of(home),
        throughput_mbps=throughput,
        compression=home.compression,
        backups=home.backups,
        weekly_maintenance_start=home.weekly_maintenance_start,
        key_arn=home.key_arn,
    )


def deployment_of(home: NewHome) -> OpenZfsDeployment:
    """Return the deployment type from the catalogue."""
    return catalog().openzfs.deployments[home.deployment.replace("-", "_").upper()]


def capacity_of(home: NewHome) -> int:
    """Return the GiB for all users, with headroom."""
    return max(catalog().openzfs.min_gib, math.ceil(home.users * home.gib_per_user / FILLED))


def throughput_of(home: NewHome) -> int:
    """Return the declared MB/s, or the lowest MB/s of the deployment type that suffices for the users."""
    if home.throughput_mbps is not None:
        return home.throughput_mbps
    choices = deployment_of(home).throughputs_mbps
    wanted = max(_LEAST_MBPS, home.users * _MBPS_PER_USER)
    return next((mbps for mbps in choices if mbps >= wanted), choices[-1])


def _existing(home: ExistingHome) -> HomePlan:
    return HomePlan(
        existing=ExistingFileSystem(
            file_system_id=home.file_system_id,
            mount_name="",
            security_group_id=home.security_group_id,
            zone=home.availability_zone_id or home.availability_zone or "",
        ),
        mount_path=home.mount_path,
        subnet=PRIMARY,
        users=None,
        deployment=None,
        capacity_gib=None,
        throughput_mbps=None,
        compression="",
        backups=None,
        weekly_maintenance_start="",
        key_arn=None,
    )
