"""Rules for reservations: id or ARN, Region, zone and number of instances."""

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
    "CAP004", ERROR, "`arn` is the ARN of a training plan in the profile's Region",
    why="A training plan cannot be used in another Region. With a wrong ARN, the deployment fails after the network is created.",
    source=_PLANS, reads="compute region", where="training-plan",
)  # fmt: skip
def training_plan_arn_is_valid(design: Design) -> Iterator[Finding]:
    """Check form, Region and account of a training plan's ARN."""
    for at, group in design.reserved_groups:
        if group.capacity.arn is None:
            continue
        plan = plan_arn(group.capacity.arn)
        here = (*at, "capacity", "arn")
        if plan is None:
            yield Finding(
                at=here,
                message=f"{group.capacity.arn!r} is not the ARN of a training plan",
                hint="set `arn` to an ARN such as arn:aws:sagemaker:us-west-2:123456789012:training-plan/my-plan",
            )
        elif plan.region != design.profile.region:
            yield Finding(
                at=here,
                message=f"the training plan is in {plan.region}, but the profile is in {design.profile.region}",
                hint=f"set `arn` to a training plan in {design.profile.region}",
            )
        elif design.profile.account and plan.account != design.profile.account:
            yield Finding(
                at=here,
                message=f"the training plan is in account {plan.account}, but the profile is in account {design.profile.account}",
                hint=f"set `arn` to a training plan of account {design.profile.account}",
            )


@rule(
    "CAP005", WARNING, "the id or ARN of a reservation is not a placeholder",
    why="The reservation in an example does not exist, so the deployment fails when the cluster is created.",
    source=_PLANS, reads="compute", where="training-plan capacity-block odcr",
)  # fmt: skip
def placeholders_are_replaced(design: Design) -> Iterator[Finding]:
    """Report ids and ARNs from the documentation's examples."""
    for at, group in design.reserved_groups:
        if group.capacity.reservation_id == _EXAMPLE_ID:
            yield Finding(
                at=(*at, "capacity", "reservation_id"),
                message=f"{_EXAMPLE_ID} is the placeholder from the documentation",
                hint="set `reservation_id` to an id from `aws ec2 describe-capacity-reservations`",
            )
        elif (group.capacity.arn or "").endswith(f"/{_EXAMPLE}"):
            yield Finding(
                at=(*at, "capacity", "arn"),
                message="the training plan's ARN is a placeholder",
                hint="create a profile with `extends:`, and set `arn` to an ARN from `aws sagemaker list-training-plans`",
            )


@rule(
    "CAP006", ERROR, "a reservation's zone is the zone of its group",
    why="The instances of a reservation start only in its zone. In another zone the group waits forever, launches on demand, or "
    "the deployment rolls back (EKS-07, EKS-26, HYPERPOD-14).",
    source=_RESERVATIONS, reads="compute network data availability_zone availability_zone_id", where="training-plan capacity-block odcr",
)  # fmt: skip
def reservation_is_in_the_groups_zone(design: Design) -> Iterator[Finding]:
    """Compare zone ids; CAP007 reports a zone name that the catalogue cannot map to an id."""
    for at, group in design.reserved_groups:
        reserved = group.capacity.availability_zone_id
        zone_id = _zone_id(group.zone or design.profile.zone) if reserved else None
        if reserved and not zone_is_in(reserved, design.profile.region):
            continue  # PRO021 reports the zone
        if reserved and zone_id and zone_id != reserved:
            yield Finding(
                at=(*at, "capacity", "availability_zone_id"),
                message=f"the {_called(group)} is in {reserved}, but group {group.name} is in {zone_id}",
                hint=f"remove `zone` from the group, and set `availability_zone_id: {reserved}` for the profile"
                if group.zone
                else f"set `availability_zone_id: {reserved}` for the profile, or correct the zone of the {_called(group)}",
            )


def _called(group: Group) -> str:
    return purchase_of(group.capacity).called


@rule(
    "CAP007", WARNING, "a profile with a reservation uses a zone id",
    why="One zone name can mean different zones in different accounts, so a name cannot be compared with the zone id of the "
    "reservation.",
    source="https://docs.aws.amazon.com/ram/latest/userguide/working-with-az-ids.html",
    reads="compute availability_zone availability_zone_id", where="training-plan capacity-block odcr",
)  # fmt: skip
def zone_is_an_id(design: Design) -> Iterator[Finding]:
    """Report a zone name in the profile if the reservation has a zone id."""
    for at, group in design.reserved_groups:
        zone, reserved = group.zone or design.profile.zone, group.capacity.availability_zone_id
        if reserved and zone and not _zone_id(zone):
            yield Finding(
                at=(*at, "capacity", "availability_zone_id"),
                message=f"the zone of the {_called(group)} is an id ({reserved}), but the zone of the profile is a name ({zone}), "
                "so they cannot be compared",
                hint=f"set `availability_zone_id: {reserved}` instead of `availability_zone`",
            )


@lru_cache(maxsize=1024)
def _zone_id(zone: str) -> str | None:
    if re.fullmatch(r".*-az[0-9]+", zone):
        return zone
    known = catalog().zone(zone)
    return known.zone_id if known and known.kind == "local-zone" else None


@rule(
    "CAP012", ERROR, "a reservation has enough instances for its groups",
    why="When the reservation is full, the remaining nodes do not start. The group waits forever, or the deployment rolls back.",
    source=_RESERVATIONS, reads="compute", where="training-plan capacity-block odcr",
)  # fmt: skip
def reservations_have_enough_instances(design: Design) -> Iterator[Finding]:
    """Check the total `count` of a reservation's groups against the reservation's `instances`, if set."""
    shared: dict[str, list[tuple[Path, Group]]] = defaultdict(list)
    for at, group in design.reserved_groups:
        # when the reservations of a resource group are full, EC2 launches on demand
        if group.capacity.reservation and not group.capacity.resource_group_arn:
            shared[group.capacity.reservation].append((at, group))
    for members in shared.values():
        declared = [(at, held) for at, group in members if (held := group.capacity.instances) is not None]
        if not declared:
            continue
        at, held = min(declared, key=lambda pair: pair[1])
        here = (*at, "capacity", "instances")
        if len({held for _, held in declared}) > 1:
            figures = " and ".join(str(held) for held in sorted({held for _, held in declared}))
            message = f"the groups of one reservation set `instances` to {figures}"
            hint = (
                "keep `instances` in one group only, and set it to the number of instances in the reservation"
            )
            yield Finding(at=here, message=message, hint=hint)
            continue
        wanted = sum(group.count for _, group in members)
        if wanted > held:
            named = " and ".join(group.name for _, group in members)
            yield Finding(
                at=here,
                message=f"groups {named} need {wanted} instances, but their reservation has {held}"
                if len(members) > 1
                else f"group {named} needs {wanted} instances, but its reservation has {held}",
                hint=f"reduce `count` by {wanted - held}, or correct `instances`",
            )


@rule(
    "CAP016", ERROR, "a reservation id or a resource group ARN is valid, and in the profile's Region",
    why="With a wrong id, every launch fails, after the network and the file system are created.",
    source=_RESERVATIONS, reads="compute region account", where="capacity-block odcr",
)  # fmt: skip
def reservation_id_is_valid(design: Design) -> Iterator[Finding]:
    """Check reservation ids and resource group ARNs."""
    for at, group in design.reserved_groups:
        here, name = (*at, "capacity"), group.capacity.reservation_id
        if name is not None and not _ID.fullmatch(name):
            yield Finding(
                at=(*here, "reservation_id"),
                message=f"{name!r} is not the id of a reservation",
                hint="set `reservation_id` to an id from `aws ec2 describe-capacity-reservations`, for example "
                "cr-0123456789abcdef0",
            )
        yield from _group_arn(here, group.capacity.resource_group_arn, design)


def _group_arn(here: Path, arn: str | None, design: Design) -> Iterator[Finding]:
    if arn is None:
        return
    at, match = (*here, "resource_group_arn"), _GROUP_ARN.fullmatch(arn)
    if match is None:
        looks = "arn:aws:resource-groups:us-west-2:123456789012:group/my-reservations"
        yield Finding(
            at=at,
            message=f"{arn!r} is not the ARN of a resource group",
            hint=f"set `resource_group_arn` to an ARN such as {looks}",
        )
    elif match["region"] != design.profile.region:
        yield Finding(
            at=at,
            message=f"the resource group is in {match['region']}, but the profile is in {design.profile.region}",
            hint=f"set `resource_group_arn` to a resource group in {design.profile.region}",
        )
    elif design.profile.account and match["account"] != design.profile.account:
        yield Finding(
            at=at,
            message=f"the resource group is in account {match['account']}, but the profile is in account {design.profile.account}",
            hint=f"set `resource_group_arn` to a resource group of account {design.profile.account}",
        )


@rule(
    "CAP017", ERROR, "`match: targeted` names one reservation, and `match: open` does not name one",
    why="EC2 rejects a launch template with no target or with two targets (EKS-05). With `match: open`, EC2 selects an open "
    "reservation.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservationTarget.html", reads="compute", where="odcr",
)  # fmt: skip
def target_is_set_once(design: Design) -> Iterator[Finding]:
    """Check `reservation_id` and `resource_group_arn` against `match`."""
    for at, group in design.reserved_groups:
        if group.capacity.match is None:
            continue
        here = (*at, "capacity")
        named = [k for k in ("reservation_id", "resource_group_arn") if getattr(group.capacity, k)]
        if group.capacity.match == "open":
            for key in named:
                yield Finding(
                    at=(*here, key),
                    message=f"`match: open` uses any open reservation that matches, so `{key}` is not allowed",
                    hint=f"remove `{key}`, or set `match: targeted`",
                )
        elif not named:
            yield Finding(
                at=here,
                message="`match: targeted` needs a `reservation_id` or a `resource_group_arn`",
                hint="add `reservation_id`, or set `match: open`",
            )
        elif len(named) > 1:
            yield Finding(
                at=(*here, "resource_group_arn"),
                message="`reservation_id` and `resource_group_arn` are both set",
                hint="remove `reservation_id` or `resource_group_arn`",
            )


@rule(
    "CAP022", WARNING, "the Capacity Blocks of a profile do not exceed the organization's limit",
    why="EC2 limits the number of instances that an organization can have in Capacity Blocks on one date.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html", reads="compute", where="capacity-block",
)  # fmt: skip
def capacity_blocks_are_within_the_limit(design: Design) -> Iterator[Finding]:
    """Check the total `count` of all groups on Capacity Blocks."""
    total = sum(group.count for _, group in design.reserved_groups if purchase_of(group.capacity).block)
    most = catalog().reservations.capacity_block.max_instances_on_a_date
    if total > most:
        yield Finding(
            at=("compute", "groups"),
            message=f"the groups need {total} instances in Capacity Blocks, but an organization can have at most {most} such "
            "instances on one date",
            hint=f"reduce the `count` of the groups by {total - most} in total, or use Capacity Blocks of other dates in another "
            "profile",
        )


@rule(
    "CAP023", NOTE, "the profile sets the zone id of a reservation",
    why="Without the zone id, ultracluster cannot compare the zones of group and reservation. Launches in another zone fail with "
    "insufficient capacity (EKS-26).",
    source=_RESERVATIONS, reads="compute", where="capacity-block odcr",
)  # fmt: skip
def reserved_zone_is_set(design: Design) -> Iterator[Finding]:
    """Check `availability_zone_id` of Capacity Blocks and targeted reservations."""
    for at, group in design.reserved_groups:
        if group.capacity.reservation and group.capacity.availability_zone_id is None:
            yield Finding(
                at=(*at, "capacity"),
                message=f"{group.capacity.reservation} has no `availability_zone_id`, so ultracluster cannot check that the "
                f"reservation is in the zone of group {group.name}",
                hint="add `availability_zone_id` from `aws ec2 describe-capacity-reservations`",
            )
