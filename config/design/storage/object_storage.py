"""Buckets beside those that file systems are linked with: a directory bucket, and volumes of pods."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.zones import is_zone_id
from config.profile.model import Profile

EXPRESS = "s3-express"
"""How a mountpoint names the directory bucket of its profile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressPlan:
    """A directory bucket in one zone. `retention_days` None: objects never expire.

    Its name is generated: a stack that left its bucket behind can then be created again.
    """

    zone_id: str
    retention_days: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MountpointPlan:
    """A bucket that pods see as files. `bucket` None: the directory bucket, whose name is generated."""

    name: str
    bucket: str | None
    prefix: str
    read_only: bool
    cache_gib: int


def plan_express(profile: Profile | None) -> ExpressPlan | None:
    """The directory bucket of a profile; None where it has none, or a zone without an id."""
    if profile is None or profile.storage is None or profile.storage.s3_express is None:
        return None
    zone = profile.zone
    if not is_zone_id(zone):
        return None
    return ExpressPlan(
        zone_id=zone,
        retention_days=profile.storage.s3_express.retention_days,
    )


def plan_mountpoints(profile: Profile, express: ExpressPlan | None) -> tuple[MountpointPlan, ...]:
    """The buckets that pods see as files; one on a directory bucket that is not there is left out."""
    stated = profile.storage.mountpoints if profile.storage else ()
    return tuple(
        MountpointPlan(
            name=mountpoint.name,
            bucket=None if mountpoint.bucket == EXPRESS else mountpoint.bucket,
            prefix=mountpoint.prefix.strip("/"),
            read_only=mountpoint.read_only,
            cache_gib=mountpoint.cache_gib,
        )
        for mountpoint in stated
        if mountpoint.bucket != EXPRESS or express
    )
