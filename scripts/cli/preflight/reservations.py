"""Checks of reservations: existence, state, type, zone, size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from config.design.capacity.purchase import purchase_of
from config.design.capacity.training_plans import plan_arn
from config.design.capacity.windows import moment
from config.design.zones import is_zone_id
from config.diagnostics import Path
from config.profile.capacity.groups import AnyCapacity, Group
from config.rules.capacity.reservations import placeholders_are_replaced
from config.rules.preflight import codes
from scripts.cli.preflight.asking import Ask, UnansweredError
from scripts.cli.preflight.checks import Check, Found, Verdict, check, wrong
from scripts.cli.preflight.place import Place
from scripts.cli.preflight.reserved import Reserved, permissions_of, reservations_of
from scripts.cli.preflight.stack import is_deployed, permissions

Placed = tuple[Path, Group]

_USABLE = frozenset({"active", "scheduled", "Active", "Scheduled"})


def checks(place: Place) -> Iterator[Check]:
    """Yield one check for each reservation, with all groups that use it."""
    users: dict[str, list[Placed]] = {}
    for at, group in place.design.reserved_groups:
        name = group.capacity.reservation or f"open {group.instance_type}"
        users.setdefault(name, []).append((at, group))
    for name, placed in users.items():
        capacity = placed[0][1].capacity
        service, subject = purchase_of(capacity).service, _subject(name, capacity)
        asked = (*permissions_of(place, capacity), *permissions(place))
        yield check(service, subject, asked, _reservation, place, name, tuple(placed))


def _subject(name: str, capacity: AnyCapacity) -> str:
    if capacity.resource_group_arn:
        return f"the reservations of {name.rpartition('/')[2]}"
    called = purchase_of(capacity).called
    return f"the {called} {name.rpartition('/')[2]}" if capacity.reservation else f"{name} reservations"


def _reservation(place: Place, name: str, placed: tuple[Placed, ...], ask: Ask) -> Verdict:
    group = placed[0][1]
    open_placeholders = {one.at for one in placeholders_are_replaced.check(place.design)}
    if _at(placed[0]) in open_placeholders:
        raise UnansweredError("the reservation in the profile is a placeholder")
    plan = plan_arn(group.capacity.arn or "")
    if plan is not None and place.account not in (None, plan.account):
        message = (
            f"the training plan is in account {plan.account}, but the credentials are for account "
            f"{place.account}"
        )
        hint = f"use credentials of account {plan.account}, or a training plan of account {place.account}"
        return wrong(f"in account {plan.account}", codes.RESERVED, _at(placed[0]), message, hint)
    reserved = reservations_of(ask, name, group, group.zone or place.design.profile.zone)
    if not reserved:
        hint = _where_listed(group.capacity)
        message = f"{_subject(name, group.capacity)} does not exist in this account and {place.region}"
        return wrong("does not exist", codes.RESERVED, _at(placed[0]), message, hint)
    usable = [one for one in reserved if one.state in _USABLE and not _is_over(place, one)]
    if not usable:
        states = ", ".join(sorted({_state(place, one) for one in reserved}))
        message = f"{_subject(name, group.capacity)} is {states}, not active or scheduled"
        return wrong(states, codes.RESERVED, _at(placed[0]), message, _where_listed(group.capacity))
    faults = [*_all_faults(place, usable, placed), *_machines(place, usable, placed, ask)]
    return Verdict(_words(usable), tuple(faults))


def _is_over(place: Place, reserved: Reserved) -> bool:
    """Return whether the reservation's end has passed; its recorded state may be out of date."""
    return reserved.end is not None and reserved.end <= place.now


def _state(place: Place, reserved: Reserved) -> str:
    if reserved.state in _USABLE and reserved.end is not None and _is_over(place, reserved):
        return f"expired since {reserved.end:%Y-%m-%d}"
    return reserved.state


def _all_faults(place: Place, reserved: Sequence[Reserved], placed: Sequence[Placed]) -> Iterator[Found]:
    for at, group in placed:
        for one in reserved:
            yield from _where(place, one, at, group)
            yield from _how(one, at, group)
            yield from _begun(place, one, at, group)
        if len(reserved) == 1:
            yield from _declared(reserved[0], at, group)


def _at(placed: Placed) -> Path:
    at, group = placed
    key = group.capacity.reservation_key
    return (*at, "capacity", key) if key else (*at, "capacity")


def _where_listed(capacity: AnyCapacity) -> str:
    return f"use a reservation from `{purchase_of(capacity).listed_by}`"


def _words(reserved: Sequence[Reserved]) -> str:
    total, free = sum(one.total for one in reserved), sum(one.free for one in reserved)
    first = reserved[0]
    until = f" until {first.end:%Y-%m-%d}" if len(reserved) == 1 and first.end else ""
    begins = (
        f" from {first.start:%Y-%m-%d}"
        if len(reserved) == 1 and first.state.lower() == "scheduled" and first.start
        else ""
    )
    return f"{first.state.lower()}, {free} of {total} free{begins}{until}"


def _where(place: Place, reserved: Reserved, at: Path, group: Group) -> Iterator[Found]:
    if reserved.instance_type and reserved.instance_type not in (
        group.instance_type,
        *group.fallback_instance_types,
    ):
        message = f"{reserved.name} contains {reserved.instance_type} instances, but group {group.name} has the type {group.instance_type}"
        hint = f"set `instance_type: {reserved.instance_type}`, or use another reservation"
        yield Found(codes.RESERVED_WHERE, (*at, "instance_type"), message, hint)
    zone = group.zone or place.design.profile.zone
    lies = reserved.zone if is_zone_id(zone) else reserved.zone_name
    if zone and lies and lies != zone:
        message = f"{reserved.name} is in {lies}, but group {group.name} is in {zone}"
        hint = f"use a subnet in {lies} for group {group.name}, or use a reservation in {zone}"
        yield Found(codes.RESERVED_WHERE, (*at, "capacity"), message, hint)
    server = group.capacity.ultraserver
    if server and reserved.ultraserver and reserved.ultraserver != server:
        message = (
            f"{reserved.name} has UltraServers {reserved.ultraserver}, but the profile declares {server}"
        )
        hint = f"set `ultraserver: {reserved.ultraserver}`, or use another reservation"
        yield Found(codes.RESERVED_WHERE, (*at, "capacity", "ultraserver"), message, hint)


def _how(reserved: Reserved, at: Path, group: Group) -> Iterator[Found]:
    capacity = group.capacity
    if reserved.kind != capacity.kind:
        message = (
            f"{reserved.name} has the capacity type {reserved.kind}, but the profile declares {capacity.kind}"
        )
        yield Found(codes.RESERVED_HOW, (*at, "capacity", "kind"), message, f"set `kind: {reserved.kind}`")
    if not reserved.takes_nodes:
        platform, tenancy = reserved.platform or "Linux/UNIX", reserved.tenancy or "default"
        message = f"{reserved.name} is for {platform} with the tenancy {tenancy}, but nodes use Linux/UNIX with the tenancy default"
        hint = "use a reservation for Linux/UNIX with the tenancy default"
        yield Found(codes.RESERVED_HOW, (*at, "capacity"), message, hint)
    if capacity.match is not None and reserved.placement_group != (capacity.placement_group or ""):
        said, wanted = (
            f"the placement group {one}" if one else "no placement group"
            for one in (reserved.placement_group, capacity.placement_group)
        )
        message = f"{reserved.name} has {said}, but the profile declares {wanted}"
        hint = (
            f"set `placement_group: {reserved.placement_group}`"
            if reserved.placement_group
            else "remove `placement_group`"
        )
        yield Found(codes.RESERVED_HOW, (*at, "capacity"), message, hint)


def _begun(place: Place, reserved: Reserved, at: Path, group: Group) -> Iterator[Found]:
    """Yield a finding if the group's nodes would be launched before the reservation starts.

    HyperPod and PCS wait for a scheduled reservation; other control planes launch immediately.
    """
    orchestrator = place.design.profile.orchestrator
    waits = orchestrator is not None and orchestrator.kind in purchase_of(group.capacity).launches_later
    if reserved.state.lower() == "scheduled" and group.count and not waits:
        begins = f"{reserved.start:%Y-%m-%dT%H:%MZ}" if reserved.start else "later"
        message = f"{reserved.name} starts {begins}, but group {group.name} needs {group.count} nodes now"
        hint = "set `count: 0` until the reservation starts, or deploy after that"
        yield Found(codes.RESERVED_NOW, (*at, "count"), message, hint)


def _declared(reserved: Reserved, at: Path, group: Group) -> Iterator[Found]:
    capacity = group.capacity
    instances = capacity.instances
    if instances is not None and instances != reserved.total:
        message = f"{reserved.name} contains {reserved.total} instances, but the profile declares {instances}"
        hint = f"set `instances: {reserved.total}`"
        yield Found(codes.RESERVED_AS_STATED, (*at, "capacity", "instances"), message, hint)
    for key, real in (("start", reserved.start), ("end", reserved.end)):
        declared = moment(getattr(capacity, key))
        if declared is not None and real is not None and abs((declared - real).total_seconds()) >= 60:
            message = f"the reservation {reserved.name} has the {key} time {real:%Y-%m-%dT%H:%MZ}, but the profile declares {declared:%Y-%m-%dT%H:%MZ}"
            hint = f"set `{key}: {real:%Y-%m-%dT%H:%MZ}`"
            yield Found(codes.RESERVED_AS_STATED, (*at, "capacity", key), message, hint)
    zone = capacity.availability_zone_id
    if zone is not None and reserved.zone and zone != reserved.zone:
        message = f"{reserved.name} is in {reserved.zone}, but the profile declares {zone}"
        hint = f"set `availability_zone_id: {reserved.zone}`"
        yield Found(codes.RESERVED_AS_STATED, (*at, "capacity", "availability_zone_id"), message, hint)


def _machines(
    place: Place, reserved: Sequence[Reserved], placed: Sequence[Placed], ask: Ask
) -> Iterator[Found]:
    """Compare the number of reserved instances with the groups' counts.

    For a stack that is not deployed, the free instances must also be enough; a deployed stack uses some of
    the reserved instances itself.
    """
    wanted = sum(group.count for _, group in placed)
    total, free = sum(one.total for one in reserved), sum(one.free for one in reserved)
    at, first = placed[0]
    name = reserved[0].name if len(reserved) == 1 else f"{len(reserved)} reservations"
    if first.capacity.match == "open":
        return  # EC2 launches further instances on demand
    groups = " and ".join(group.name for _, group in placed)
    needed = f"groups {groups} need {wanted}" if len(placed) > 1 else f"group {groups} needs {wanted}"
    if total < wanted:
        message = f"{name} contains {total} instances, but {needed}"
        hint = f"set `count` to {total} or less, or reserve {wanted - total} more"
        yield Found(codes.RESERVED_MACHINES, (*at, "count"), message, hint)
        return
    scheduled = all(one.state.lower() == "scheduled" for one in reserved)
    if free < wanted and not scheduled and _is_new(place, ask):
        message = f"{name} has {free} of its {total} instances free, but {needed}"
        hint = "terminate other instances that use the reservation, or reduce `count`"
        yield Found(codes.RESERVED_MACHINES, (*at, "count"), message, hint)


def _is_new(place: Place, ask: Ask) -> bool:
    """Return True if the stack is known not to be deployed; others then use the reserved instances."""
    try:
        return not is_deployed(place, ask)
    except UnansweredError:
        return False
