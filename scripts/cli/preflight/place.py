"""Checks of the account, the Region, its zones, and the instance types that they offer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from config.design.model import Design
from config.design.zones import is_zone_id
from config.diagnostics import Path
from config.rules.capacity.reservations import placeholders_are_replaced
from config.rules.preflight import codes
from scripts.cli.preflight.account import home_of, partition_of
from scripts.cli.preflight.asking import Ask, UnansweredError
from scripts.cli.preflight.checks import Check, Found, Verdict, check, needs, wrong


@dataclass(frozen=True, kw_only=True)
class Place:
    """A design and its target. `account` is None for recorded answers, which have no account."""

    design: Design
    account: str | None
    on: bool
    now: datetime

    @property
    def region(self) -> str:
        """Return the profile's Region."""
        return self.design.profile.region

    def arn(self, service: str, rest: str, *, region: str | None = None, anywhere: bool = False) -> str:
        """Return an ARN in the account (`*` if not known), without a Region if `anywhere` is True."""
        account = self.account or self.design.profile.account or "*"
        where = "" if anywhere else region or self.region
        return f"arn:{partition_of(self.region)}:{service}:{where}:{account}:{rest}"


def checks(place: Place) -> Iterator[Check]:
    """Yield the checks of the target."""
    yield check("STS", "the account", (), _identity, place)
    yield check("EC2", f"the Region {place.region}", needs("ec2:DescribeRegions"), _region, place)
    if any(True for _ in placeholders_are_replaced.check(place.design)):
        yield check("profile", "placeholders", (), _left, place)
    for zone, at in zones_of(place.design).items():
        yield check("EC2", f"the zone {zone}", needs("ec2:DescribeAvailabilityZones"), _zone, place, zone, at)
    for (type_name, zone), at in types_of(place.design).items():
        asked = needs("ec2:DescribeInstanceTypeOfferings")
        yield check("EC2", f"{type_name} in {zone}", asked, _offered, type_name, zone, at)


def zones_of(design: Design) -> dict[str, Path]:
    """Return every zone that the profile names, with the first path that names the zone."""
    profile = design.profile
    key = "availability_zone_id" if profile.availability_zone_id else "availability_zone"
    found: dict[str, Path] = {profile.zone: (key,)} if profile.zone else {}
    for number, zone in enumerate(getattr(profile.network, "secondary_zones", ())):
        found.setdefault(zone, ("network", "secondary_zones", number))
    for at, group in design.placed_groups:
        if group.zone:
            found.setdefault(group.zone, (*at, "zone"))
    return found


def types_of(design: Design) -> dict[tuple[str, str], Path]:
    """Return every instance type with the zone of its group, and the first path of each such pair."""
    found: dict[tuple[str, str], Path] = {}
    for at, group in design.placed_groups:
        zone = group.zone or design.profile.zone
        if zone:
            found.setdefault((group.instance_type, zone), (*at, "instance_type"))
            for number, fallback in enumerate(group.fallback_instance_types):
                found.setdefault((fallback, zone), (*at, "fallback_instance_types", number))
    return found


def _identity(place: Place, ask: Ask) -> Verdict:
    if place.account is None:
        raise UnansweredError("recorded answers have no account")
    wanted = place.design.profile.account
    if wanted in (None, place.account):
        return Verdict(place.account)
    message = f"the profile is for account {wanted}, but the credentials are for {place.account}"
    hint = f"use credentials of account {wanted}: set AWS_PROFILE"
    return wrong(f"{place.account}, not {wanted}", codes.ACCOUNT, ("account",), message, hint)


def _region(place: Place, ask: Ask) -> Verdict:
    # a Region that is not enabled does not answer, so query a different Region
    asked = None if place.on else home_of(place.region)
    answer = ask("ec2", "DescribeRegions", asked, RegionNames=[place.region], AllRegions=True)["Regions"]
    status = next((one["OptInStatus"] for one in answer if one["RegionName"] == place.region), "unknown")
    if place.on and status in ("opt-in-not-required", "opted-in"):
        return Verdict("enabled")
    shown = status if status not in ("opt-in-not-required", "opted-in") else "not answering"
    message = f"the Region {place.region} has the status {shown} in this account"
    hint = f"run `aws account enable-region --region-name {place.region}`, or write an enabled Region"
    return wrong(shown, codes.REGION_ON, ("region",), message, hint)


def _left(place: Place, ask: Ask) -> Verdict:
    found = tuple(
        Found(codes.NO_PLACEHOLDER, one.at, one.message, one.hint)
        for one in placeholders_are_replaced.check(place.design)
    )
    return Verdict(f"{len(found)} {'placeholder' if len(found) == 1 else 'placeholders'}", found)


def zone_facts(ask: Ask) -> list[Mapping[str, Any]]:
    """Return all zones of the Region, including those that are not enabled."""
    found: list[Mapping[str, Any]] = ask("ec2", "DescribeAvailabilityZones", AllAvailabilityZones=True)[
        "AvailabilityZones"
    ]
    return found


def _zone(place: Place, zone: str, at: Path, ask: Ask) -> Verdict:
    answer = zone_facts(ask)
    key = "ZoneId" if is_zone_id(zone) else "ZoneName"
    here = next((one for one in answer if one.get(key) == zone), None)
    if here is None:
        there = ", ".join(
            sorted(str(one.get(key)) for one in answer if one.get("ZoneType") == "availability-zone")
        )
        message = f"{place.region} has no zone {zone} for this account"
        hint = (
            f"use one of the zones {there}"
            if there
            else "use a zone from `aws ec2 describe-availability-zones`"
        )
        return wrong("does not exist", codes.ZONE_ON, at, message, hint)
    other = here.get("ZoneName") if key == "ZoneId" else here.get("ZoneId")
    if here.get("OptInStatus") == "not-opted-in":
        group = here.get("GroupName", zone)
        message = f"the zone {zone} ({other}) is not enabled for the account (not-opted-in)"
        hint = f"run `aws ec2 modify-availability-zone-group --group-name {group} --opt-in-status opted-in`"
        return wrong("not-opted-in", codes.ZONE_ON, at, message, hint)
    state = str(here.get("State", "available"))
    if state in ("unavailable", "impaired"):
        message = f"the zone {zone} ({other}) is {state}"
        return wrong(state, codes.ZONE_ON, at, message, "see the AWS Health Dashboard, or use another zone")
    return Verdict(f"{other}, {state}")


def _offered(type_name: str, zone: str, at: Path, ask: Ask) -> Verdict:
    location = "availability-zone-id" if is_zone_id(zone) else "availability-zone"
    answer = ask(
        "ec2",
        "DescribeInstanceTypeOfferings",
        LocationType=location,
        Filters=[{"Name": "instance-type", "Values": [type_name]}],
    )["InstanceTypeOfferings"]
    zones = sorted(str(one["Location"]) for one in answer if one["InstanceType"] == type_name)
    if zone in zones:
        return Verdict("offered")
    elsewhere = f", only in {', '.join(zones)}" if zones else " or another zone of the Region"
    message = f"EC2 does not offer {type_name} in {zone}{elsewhere}"
    hint = "use one of these zones" if zones else "use another Region or instance type"
    return wrong("not offered", codes.TYPE_OFFERED, at, message, hint)
