"""Words of the field for keys that the schema calls plain text or numbers: what a user would write there."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from config.catalog import catalog
from config.profile.base import LOG_RETENTION_DAYS
from config.profile.reference import built_in_names
from config.rules import CODES
from config.rules.consistency import zone_id_prefix

ACCOUNT = "123456789012"
EVENTS = ("new", "changed", "deleted")
REASONS = (
    "we know better than the catalogue",
    "it came to our Region last week",
    "agreed with the team of AWS",
)
_FIRST_DAY = date(2027, 1, 4)


def zone_ids(region: str) -> list[str]:
    """Zone ids of a Region: by its own naming, and those that the catalogue knows."""
    known = catalog().region(region)
    named = [zone.zone_id for zone in known.zones if zone.zone_id] if known else []
    return [*(f"{zone_id_prefix(region)}-az{number}" for number in range(1, 7)), *named]


def zone_names(region: str) -> list[str]:
    """Zone names of a Region."""
    known = catalog().region(region)
    named = [zone.name for zone in known.zones if zone.name] if known else []
    return [*(f"{region}{letter}" for letter in "abcd"), *named]


@cache
def instance_types() -> SearchStrategy[str]:
    """Types of the catalogue, those that clusters are built of more often."""
    every = sorted(catalog().instances)
    gpu = [name for name in every if catalog().instances[name].is_gpu and catalog().instances[name].max_efa]
    return st.sampled_from(gpu) | st.sampled_from(every)


def reservation_ids() -> SearchStrategy[str]:
    """Ids of reservations; a few only, so that groups share some."""
    return st.sampled_from(
        ["cr-0123456789abcdef0", "cr-0a1b2c3d4e5f60718", "cr-00000000000000002", "cr-12345678"]
    )


def plan_arns(region: str) -> SearchStrategy[str]:
    """ARNs of training plans in a Region."""
    names = st.sampled_from(["example", "mine", "spring-2027"])
    return names.map(lambda name: f"arn:aws:sagemaker:{region}:{ACCOUNT}:training-plan/{name}")


def moments() -> SearchStrategy[str]:
    """Minutes in the year that reservations are made for; most end a Capacity Block."""
    days = st.integers(0, 200).map(lambda day: (_FIRST_DAY + timedelta(days=day)).isoformat())
    return st.builds("{}T{}Z".format, days, st.sampled_from(["11:30", "11:30", "11:30", "04:00"]))


def blocks(low: int, high: int) -> SearchStrategy[str]:
    """Private IPv4 blocks on their boundary, of a prefix from `low` to `high`."""
    return st.builds(
        lambda second, prefix: f"10.{second}.0.0/{prefix}", st.integers(0, 255), st.integers(low, high)
    )


_REGIONS = sorted(catalog().regions)
_ANYWHERE = st.sampled_from(["us-west-2", "us-east-1", "us-east-2", *_REGIONS])

WORDS: dict[str, SearchStrategy[Any]] = {
    "extends": st.sampled_from(built_in_names()),
    "name": st.sampled_from(["mine", "train", "controller", "login", "a", "dev", "pretrain-west"]),
    "description": st.sampled_from(["our first cluster", "größer, schneller", ""]),
    "region": _ANYWHERE,
    "availability_zone": _ANYWHERE.flatmap(lambda region: st.sampled_from(zone_names(region))),
    "availability_zone_id": _ANYWHERE.flatmap(lambda region: st.sampled_from(zone_ids(region))),
    "zone": st.sampled_from(["us-west-2-lax-1a", "usw2-lax1-az1"])
    | _ANYWHERE.flatmap(lambda region: st.sampled_from(zone_ids(region) + zone_names(region))),
    "secondary_zones": _ANYWHERE.flatmap(
        lambda region: st.lists(st.sampled_from(zone_ids(region)), max_size=3)
    ),
    "account": st.just(ACCOUNT),
    "vpc_cidr": blocks(16, 20),
    "cidr": blocks(17, 28),
    "vpc_secondary_cidrs": st.lists(blocks(16, 18), max_size=2),
    "flow_log_retention_days": st.sampled_from(LOG_RETENTION_DAYS),
    "log_retention_days": st.sampled_from(LOG_RETENTION_DAYS),
    "instance_type": instance_types(),
    "count": st.integers(0, 20) | st.sampled_from([1, 8, 9, 16, 17, 18, 64, 300]),
    "instances": st.sampled_from([1, 2, 4, 8, 9, 16, 18, 32, 64]),
    "reservation_id": reservation_ids(),
    "arn": _ANYWHERE.flatmap(plan_arns),
    "resource_group_arn": _ANYWHERE.map(
        lambda region: f"arn:aws:resource-groups:{region}:{ACCOUNT}:group/mine"
    ),
    "ultraserver": st.sampled_from(sorted(catalog().ultraservers)),
    "start": moments(),
    "end": moments(),
    "DataReference.profile": st.sampled_from([*built_in_names(), "data.yaml"]),
    "capacity_gib": st.sampled_from([1200, 2400, 4800, 9600, 19200, 38400, 38400, 100800, 201600]),
    "throughput_mbps_per_tib": st.sampled_from(sorted(catalog().lustre.tiers)),
    "metadata_iops": st.sampled_from(sorted(catalog().lustre.allowed_metadata_iops)),
    "mount_path": st.sampled_from(["/fsx", "/shared", "/mnt/fsx", "/home", "/usr", "fsx/"]),
    "path": st.sampled_from(["/datasets", "/checkpoints", "/a", "/a/b", "/"]),
    "partition": st.sampled_from(["gpu", "train", "dev"]),
    "bucket": st.sampled_from(["new", "new", "my-bucket", "our.datasets-2027"]),
    "prefix": st.sampled_from(["", "2027", "a/b"]),
    "parameters": st.sampled_from([7e9, 70e9, 405e9, 1e12]),
    "bytes_per_parameter": st.sampled_from([2, 14, 16.5]),
    "code": st.sampled_from(sorted(CODES)),
    "reason": st.sampled_from(REASONS),
}
"""By key, or by `Model.key` where a key means one thing here and another there."""
