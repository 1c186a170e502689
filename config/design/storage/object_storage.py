"""Directory buckets, and buckets that pods mount as volumes."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.zones import is_zone_id
from config.profile.model import Profile

EXPRESS = "s3-express"
"""Value of `bucket` for the profile's directory bucket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressPlan:
    """A directory bucket in one zone. `retention_days` is None if objects do not expire.

    The bucket's name is generated, so that a stack whose old bucket was retained can be created again.
    """

    zone_id: str
    retention_days: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MountpointPlan:
    """A bucket that pods mount as files. `bucket` is None for the directory bucket."""

    name: str
    bucket: str | None
    prefix: str
    read_only: bool
    cache_gib: int


def plan_express(profile: Profile | None) -> ExpressPlan | None:
    """Return the directory bucket of a profile, None if the profile sets no bucket or no zone ID."""
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
    """Return the buckets that pods mount as files; the directory bucket only if the plan has one."""
    declared = profile.storage.mountpoints if profile.storage else ()
    return tuple(
        MountpointPlan(
            name=mountpoint.name,
            bucket=None if mountpoint.bucket == EXPRESS else mountpoint.bucket,
            prefix=mountpoint.prefix.strip("/"),
            read_only=mountpoint.read_only,
            cache_gib=mountpoint.cache_gib,
        )
        for mountpoint in declared
        if mountpoint.bucket != EXPRESS or express
    )
