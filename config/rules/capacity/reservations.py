"""What is reserved: named rightly, in the group's zone, for dates and machines that are sold, not overdrawn."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from config.catalog import catalog
from config.design.capacity.purchase import purchase_of
from config.design.capacity.training_plans import plan_arn
from config.design.model import Design
from config.diagnostics import Path
from config.profile.capacity.groups import Group
from config.rules.profile.consistency import zone_is_in
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_PLANS = "https://docs.aws.amazon.com/sagemaker/latest/dg/reserve-capacity-with-training-plans.html"
_RESERVATIONS = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-reservations.html"
_EXAMPLE = "example"
_EXAMPLE_ID = "cr-0123456789abcdef0"
_ID = re.compile(r"cr-[0-9a-f]{8,17}")
_GROUP_ARN = re.compile(
    r"arn:aws[a-z-]*:resource-groups:(?P<region>[a-z0-9-]+):(?P<account>[0-9]{12}):group/[A-Za-z0-9_.-]{1,300}(/[A-Za-z0-9]+)?"
)


@rule(
    "CAP004", ERROR, "a training plan is named by its ARN, in the profile's Region",
    why="A plan cannot be used from another Region, and a mistyped ARN fails the cluster after the network is built.",
    source=_PLANS, reads="compute region", where="training-plan",
)  # fmt: skip
def training_plan_arn_fits(design: Design) -> Iterator[Finding]:
    """Form and Region of a training plan's ARN."""
    for at, group in design.reserved_groups:
        if group.capacity.arn is None:
            continue
        plan = plan_arn(group.capacity.arn)
        here = (*at, "capacity", "arn")
        if plan is None:
            yield Finding(
                at=here,
                message=f"{group.capacity.arn!r} is not the ARN of a training plan",
                hint="it looks like arn:aws:sagemaker:us-west-2:123456789012:training-plan/my-plan",
            )
        elif plan.region != design.profile.region:
            yield Finding(
                at=here,
                message=f"the training plan is in {plan.region}, the profile in {design.profile.region}",
                hint=f"name a plan of {design.profile.region}",
            )
        elif design.profile.account and plan.account != design.profile.account:
            yield Finding(
                at=here,
                message=f"the training plan is in account {plan.account}, the profile in {design.profile.account}",
                hint="name a plan of the profile's account",
            )


@rule(
    "CAP005", WARNING, "a placeholder is replaced before the profile is deployed",
    why="The cluster would fail at creation: only you have the id of what you reserved.",
    source=_PLANS, reads="compute", where="training-plan capacity-block odcr",
)  # fmt: skip
def placeholders_are_replaced(design: Design) -> Iterator[Finding]:
    """Reservations that an example leaves open."""
    for at, group in design.reserved_groups:
        if group.capacity.reservation_id == _EXAMPLE_ID:
            yield Finding(
                at=(*at, "capacity", "reservation_id"),
                message=f"{_EXAMPLE_ID} is the id of the documentation's examples",
                hint="put the id from `aws ec2 describe-capacity-reservations` in",
            )
        elif (group.capacity.arn or "").endswith(f"/{_EXAMPLE}"):
            yield Finding(
                at=(*at, "capacity", "arn"),
                message="the training plan's ARN is a placeholder",
                hint="make a profile with `extends:` and put the ARN from `aws sagemaker list-training-plans` in",
            )


@rule(
    "CAP006", ERROR, "a reservation's zone is the zone of its group",
    why="Reserved machines start only in the reservation's zone: a group elsewhere waits for ever, buys on demand or is rolled back (EKS-07, EKS-26, HYPERPOD-14).",
    source=_RESERVATIONS, reads="compute network data availability_zone availability_zone_id", where="training-plan capacity-block odcr",
)  # fmt: skip
def plan_lies_in_the_groups_zone(design: Design) -> Iterator[Finding]:
    """Zone ids are compared; a zone name that the catalogue cannot translate is left to CAP007."""
    for at, group in design.reserved_groups:
        reserved = group.capacity.availability_zone_id
        zone_id = _zone_id(group.zone or design.profile.zone) if reserved else None
        if reserved and not zone_is_in(reserved, design.profile.region):
            continue  # PRO021 says so
        if reserved and zone_id and zone_id != reserved:
            yield Finding(
                at=(*at, "capacity", "availability_zone_id"),
                message=f"the {_called(group)}'s machines are in {reserved}, the group in {zone_id}",
                hint=f"take the group's `zone` out, with `availability_zone_id: {reserved}` for the profile"
                if group.zone
                else f"write `availability_zone_id: {reserved}` for the profile, if the {_called(group)}'s zone is right",
            )


def _called(group: Group) -> str:
    return purchase_of(group.capacity).called.split()[-1].lower()


@rule(
    "CAP007", WARNING, "a profile with a reservation states its zone by id",
    why="A zone name means different zones in different accounts, so it cannot be compared with the reservation's zone id.",
    source="https://docs.aws.amazon.com/ram/latest/userguide/working-with-az-ids.html",
    reads="compute availability_zone availability_zone_id", where="training-plan capacity-block odcr",
)  # fmt: skip
def zone_can_be_compared(design: Design) -> Iterator[Finding]:
    """A zone by name beside a plan's zone by id."""
    for at, group in design.reserved_groups:
        zone, reserved = group.zone or design.profile.zone, group.capacity.availability_zone_id
        if reserved and zone and not _zone_id(zone):
            yield Finding(
                at=(*at, "capacity", "availability_zone_id"),
                message=f"the {_called(group)}'s zone {reserved} cannot be compared with {zone}, which differs from account to account",
                hint=f"write `availability_zone_id: {reserved}` instead of `availability_zone`",
            )


@lru_cache(maxsize=1024)
def _zone_id(zone: str) -> str | None:
    if re.fullmatch(r".*-az[0-9]+", zone):
        return zone
    known = catalog().zone(zone)
    return known.zone_id if known and known.kind == "local-zone" else None


@rule(
    "CAP012", ERROR, "groups that share a reservation ask for no more machines than it holds",
    why="The last groups to start find the reservation full: they wait for ever, or the cluster is rolled back.",
    source=_RESERVATIONS, reads="compute", where="training-plan capacity-block odcr",
)  # fmt: skip
def reservations_are_not_overdrawn(design: Design) -> Iterator[Finding]:
    """The counts of all groups of a reservation against its `instances`, wherever that is stated."""
    shared: dict[str, list[tuple[Path, Group]]] = defaultdict(list)
    for at, group in design.reserved_groups:
        # beyond the reservations of a resource group EC2 launches on demand
        if group.capacity.reservation and not group.capacity.resource_group_arn:
            shared[group.capacity.reservation].append((at, group))
    for members in shared.values():
        stated = [(at, held) for at, group in members if (held := group.capacity.instances) is not None]
        if not stated:
            continue
        at, held = min(stated, key=lambda pair: pair[1])
        here = (*at, "capacity", "instances")
        if len({held for _, held in stated}) > 1:
            figures = " and ".join(str(held) for held in sorted({held for _, held in stated}))
            message = f"one reservation is said to hold {figures} machines"
            yield Finding(at=here, message=message, hint="state `instances` once, as the reservation has it")
            continue
        wanted = sum(group.count for _, group in members)
        if wanted > held:
            named = " and ".join(group.name for _, group in members)
            yield Finding(
                at=here,
                message=f"{named} ask for {wanted} machines of a reservation that holds {held}"
                if len(members) > 1
                else f"{named} asks for {wanted} machines of a reservation that holds {held}",
                hint=f"lower `count` by {wanted - held}, or correct `instances`",
            )


@rule(
    "CAP016", ERROR, "a reservation is named by its id, or by the ARN of its group, in the profile's Region",
    why="A mistyped id fails every launch after the network and the file system are built.",
    source=_RESERVATIONS, reads="compute region account", where="capacity-block odcr",
)  # fmt: skip
def reservation_is_named_rightly(design: Design) -> Iterator[Finding]:
    """Ids of reservations and blocks, ARNs of resource groups."""
    for at, group in design.reserved_groups:
        here, name = (*at, "capacity"), group.capacity.reservation_id
        if name is not None and not _ID.fullmatch(name):
            yield Finding(
                at=(*here, "reservation_id"),
                message=f"{name!r} is not the id of a reservation",
                hint="it looks like cr-0123456789abcdef0; `aws ec2 describe-capacity-reservations` lists yours",
            )
        yield from _group_arn(here, group.capacity.resource_group_arn, design)


def _group_arn(here: Path, arn: str | None, design: Design) -> Iterator[Finding]:
    if arn is None:
        return
    at, match = (*here, "resource_group_arn"), _GROUP_ARN.fullmatch(arn)
    if match is None:
        looks = "arn:aws:resource-groups:us-west-2:123456789012:group/my-reservations"
        yield Finding(
            at=at, message=f"{arn!r} is not the ARN of a resource group", hint=f"it looks like {looks}"
        )
    elif match["region"] != design.profile.region:
        yield Finding(
            at=at,
            message=f"the resource group is in {match['region']}, the profile in {design.profile.region}",
            hint=f"name a group of {design.profile.region}",
        )
    elif design.profile.account and match["account"] != design.profile.account:
        yield Finding(
            at=at,
            message=f"the resource group is in account {match['account']}, the profile in {design.profile.account}",
            hint="name a group of the profile's account",
        )


@rule(
    "CAP017", ERROR, "a targeted reservation is named once, and an open one not at all",
    why="A launch template with an empty target, or with two, is refused (EKS-05); EC2 itself chooses among open "
    "reservations.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservationTarget.html", reads="compute", where="odcr",
)  # fmt: skip
def target_is_stated_once(design: Design) -> Iterator[Finding]:
    """`match`, `reservation_id` and `resource_group_arn` of a reservation."""
    for at, group in design.reserved_groups:
        if group.capacity.match is None:
            continue
        here = (*at, "capacity")
        named = [k for k in ("reservation_id", "resource_group_arn") if getattr(group.capacity, k)]
        if group.capacity.match == "open":
            for key in named:
                yield Finding(
                    at=(*here, key),
                    message=f"`match: open` uses any open reservation that fits, and names no `{key}`",
                    hint=f"take `{key}` out, or write `match: targeted`",
                )
        elif not named:
            yield Finding(
                at=here,
                message="no reservation is named",
                hint="add `reservation_id:`, or write `match: open`",
            )
        elif len(named) > 1:
            yield Finding(
                at=(*here, "resource_group_arn"),
                message="both a reservation and a resource group are named",
                hint="take one out",
            )


@rule(
    "CAP022", WARNING, "the Capacity Blocks of one profile are ones that an organization may hold at once",
    why="EC2 sells an organization no more machines in blocks on one date.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html", reads="compute", where="capacity-block",
)  # fmt: skip
def blocks_fit_the_organization(design: Design) -> Iterator[Finding]:
    """The machines of all groups on Capacity Blocks."""
    total = sum(group.count for _, group in design.reserved_groups if purchase_of(group.capacity).block)
    most = catalog().reservations.capacity_block.max_instances_on_a_date
    if total > most:
        yield Finding(
            at=("compute", "groups"),
            message=f"the groups ask for {total} machines in Capacity Blocks; an organization holds {most} on one date",
            hint=f"lower the counts by {total - most}, or use blocks of different dates in different profiles",
        )


@rule(
    "CAP023", NOTE, "a reservation says in which zone it lies",
    why="Only then can the zone of the group be compared with it; launches elsewhere fail for want of capacity (EKS-26).",
    source=_RESERVATIONS, reads="compute", where="capacity-block odcr",
)  # fmt: skip
def reserved_zone_is_stated(design: Design) -> Iterator[Finding]:
    """`availability_zone_id` of blocks and targeted reservations."""
    for at, group in design.reserved_groups:
        if group.capacity.reservation and group.capacity.availability_zone_id is None:
            yield Finding(
                at=(*at, "capacity"),
                message=f"the zone of {group.capacity.reservation} is not stated, so nothing compares it with the group's",
                hint="add `availability_zone_id:` as `aws ec2 describe-capacity-reservations` tells it",
            )
