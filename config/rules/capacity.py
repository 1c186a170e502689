"""Machines that exist, are sold this way and here, and can be taken by the control plane."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from config.catalog import catalog
from config.design.model import Design
from config.design.training_plans import plan_arn
from config.diagnostics import Path
from config.profile.compute import Group, TrainingPlan, instances_of, reservation_of
from config.rules.parts import groups, planned_groups
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_TYPES = "https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html"
_BLOCKS = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html"
_PLANS = "https://docs.aws.amazon.com/sagemaker/latest/dg/reserve-capacity-with-training-plans.html"
_API = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterInstanceGroupSpecification.html"
PLACEHOLDER = "example"

HYPERPOD_CAPACITY = ("on-demand", "training-plan")
"""Capacity kinds that HyperPod with Slurm takes (API_ClusterInstanceGroupSpecification has no reservation id)."""


@rule(
    "CAP001", ERROR, "an instance type is one of the catalogue's",
    why="Interfaces, addresses and memory of an unknown type cannot be known; a guess fails at launch or is slow.",
    source=_TYPES, reads="compute",
)  # fmt: skip
def instance_type_is_known(design: Design) -> Iterator[Finding]:
    """The type has a row, and a public interface layout."""
    for at, group in groups(design):
        name = group.instance_type
        if catalog().instance(name):
            continue
        close = catalog().nearest(name)
        hint = f"did you mean {' or '.join(close)}?" if close else "docs/catalogue.md lists the known types"
        if name.startswith("ml."):
            hint = f"write the EC2 name, {name.removeprefix('ml.')}; ultracluster adds `ml.` for HyperPod"
        reason = catalog().unlaid.get(name)
        yield Finding(
            at=(*at, "instance_type"),
            message=f"{name!r} is not a known instance type" + (f": {reason}" if reason else ""),
            hint=hint,
        )


@rule(
    "CAP002", ERROR, "the control plane can take machines from the stated kind of capacity",
    why="HyperPod has no field for an EC2 reservation or Capacity Block: the id would be ignored and the machines bought on demand.",
    source=_API, reads="compute orchestrator",
)  # fmt: skip
def orchestrator_takes_the_capacity(design: Design) -> Iterator[Finding]:
    """Capacity kinds against the control plane."""
    if design.profile.orchestrator is None:
        return
    for at, group in groups(design):
        if group.capacity.kind not in HYPERPOD_CAPACITY:
            yield Finding(
                at=(*at, "capacity", "kind"),
                message=f"hyperpod-slurm cannot take machines from {group.capacity.kind!r}",
                hint=f"use {' or '.join(HYPERPOD_CAPACITY)}; reservations and Capacity Blocks are for other control planes",
            )


@rule(
    "CAP003", ERROR, "an instance type is sold as the stated kind of capacity",
    why="The service refuses the launch, or never fills it.",
    source=_BLOCKS, reads="compute",
)  # fmt: skip
def type_is_sold_this_way(design: Design) -> Iterator[Finding]:
    """Capacity kinds against the catalogue; where sources disagree nothing is refused."""
    for at, group, plan in planned_groups(design):
        kinds = plan.instance_type.capacity_kinds | plan.instance_type.capacity_kinds_uncertain
        if plan.instance_type.is_gpu and group.capacity.kind not in kinds:
            yield Finding(
                at=(*at, "capacity", "kind"),
                message=f"{group.instance_type} is not sold as {group.capacity.kind!r}",
                hint=f"it is sold as {', '.join(sorted(kinds))}",
            )
        elif not plan.instance_type.is_gpu and group.capacity.kind in ("training-plan", "capacity-block"):
            yield Finding(
                at=(*at, "capacity", "kind"),
                message=f"{group.instance_type} has no GPU and is not sold as {group.capacity.kind!r}",
                hint="write `capacity: {kind: on-demand}`",
            )


@rule(
    "CAP004", ERROR, "a training plan is named by its ARN, in the profile's Region",
    why="A plan cannot be used from another Region, and a mistyped ARN fails the cluster after the network is built.",
    source=_PLANS, reads="compute region",
)  # fmt: skip
def training_plan_arn_fits(design: Design) -> Iterator[Finding]:
    """Form and Region of a training plan's ARN."""
    for at, group in groups(design):
        if not isinstance(group.capacity, TrainingPlan):
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
    source=_PLANS, reads="compute",
)  # fmt: skip
def placeholders_are_replaced(design: Design) -> Iterator[Finding]:
    """Training plan ARNs that the built-in profiles leave open."""
    for at, group in groups(design):
        if isinstance(group.capacity, TrainingPlan) and group.capacity.arn.endswith(f"/{PLACEHOLDER}"):
            yield Finding(
                at=(*at, "capacity", "arn"),
                message="the training plan's ARN is a placeholder",
                hint="make a profile with `extends:` and put the ARN from `aws sagemaker list-training-plans` in",
            )


@rule(
    "CAP006", ERROR, "a training plan's zone is the zone of its group",
    why="Reserved machines start only in the plan's zone: a group elsewhere waits for ever or buys on demand.",
    source=_PLANS, reads="compute network data availability_zone availability_zone_id",
)  # fmt: skip
def plan_lies_in_the_groups_zone(design: Design) -> Iterator[Finding]:
    """Zone ids are compared; a zone name that the catalogue cannot translate is left to CAP007."""
    for at, group in groups(design):
        if not isinstance(group.capacity, TrainingPlan):
            continue
        zone_id = _zone_id(group.zone or design.profile.zone)
        if zone_id and zone_id != group.capacity.availability_zone_id:
            yield Finding(
                at=(*at, "capacity", "availability_zone_id"),
                message=f"the plan's machines are in {group.capacity.availability_zone_id}, the group in {zone_id}",
                hint=f"take the group's `zone` out, with `availability_zone_id: {group.capacity.availability_zone_id}` for the profile"
                if group.zone
                else f"write `availability_zone_id: {group.capacity.availability_zone_id}` for the profile, if the plan's zone is right",
            )


@rule(
    "CAP007", WARNING, "a profile with a training plan states its zone by id",
    why="A zone name means different zones in different accounts, so it cannot be compared with the plan's zone id.",
    source="https://docs.aws.amazon.com/ram/latest/userguide/working-with-az-ids.html",
    reads="compute availability_zone availability_zone_id",
)  # fmt: skip
def zone_can_be_compared(design: Design) -> Iterator[Finding]:
    """A zone by name beside a plan's zone by id."""
    for at, group in groups(design):
        zone = group.zone or design.profile.zone
        if isinstance(group.capacity, TrainingPlan) and zone and not _zone_id(zone):
            yield Finding(
                at=(*at, "capacity", "availability_zone_id"),
                message=f"the plan's zone {group.capacity.availability_zone_id} cannot be compared with {zone}, which differs from account to account",
                hint=f"write `availability_zone_id: {group.capacity.availability_zone_id}` instead of `availability_zone`",
            )


def _zone_id(zone: str) -> str | None:
    if re.fullmatch(r".*-az[0-9]+", zone):
        return zone
    known = catalog().zone(zone)
    return known.zone_id if known and known.kind == "local-zone" else None


@rule(
    "CAP008", ERROR, "UltraServer machines are reserved as whole UltraServers, with their spare",
    why="p6e-gb200 is sold only by the UltraServer (9 or 18 machines in one NVLink domain); one machine of each is the spare.",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ultraserver.html", reads="compute",
)  # fmt: skip
def ultraservers_are_whole(design: Design) -> Iterator[Finding]:
    """The plan's UltraServer fits the type, and the count its units."""
    for at, group, plan in planned_groups(design):
        if not isinstance(group.capacity, TrainingPlan):
            continue
        here = (*at, "capacity", "ultraserver")
        fitting = {
            name: unit
            for name, unit in catalog().ultraservers.items()
            if unit.instance_type == group.instance_type
        }
        unit = fitting.get(group.capacity.ultraserver or "")
        if not plan.instance_type.ultraserver_only:
            if group.capacity.ultraserver:
                yield Finding(
                    at=here,
                    message=f"{group.instance_type} is not part of an UltraServer",
                    hint="take `ultraserver` out",
                )
        elif unit is None:
            yield Finding(
                at=here,
                message=f"{group.instance_type} is reserved by the UltraServer; {group.capacity.ultraserver!r} is not one of its units",
                hint=f"write one of {', '.join(sorted(fitting))}",
            )
        elif group.count % unit.instances and group.count % (unit.instances - 1):
            units = max(1, round(group.count / unit.instances))
            yield Finding(
                at=(*at, "count"),
                message=f"{group.count} machines are not whole units of {unit.name}, which has {unit.instances}",
                hint=f"write {units * (unit.instances - 1)} (one machine of each UltraServer kept as its spare) or {units * unit.instances}",
            )


@rule(
    "CAP009", WARNING, "an instance type is offered in the profile's Region",
    why="A launch in a Region without the type fails (SLURM-11); the lists age, so this is a warning.",
    source=_BLOCKS, reads="compute region availability_zone availability_zone_id",
)  # fmt: skip
def type_is_offered_here(design: Design) -> Iterator[Finding]:
    """Regions with a price or a Capacity Block; zones that sell a type alone."""
    profile = design.profile
    for at, group, plan in planned_groups(design):
        offered = set(plan.instance_type.on_demand_regions) | set(plan.instance_type.capacity_block_regions)
        if not plan.instance_type.capacity_block_regions:  # Regions of other types were not listed in full
            continue
        zone = group.zone or profile.zone
        names = {profile.region, zone}
        known = catalog().zone(zone)
        if known and known.name:
            names.add(known.name)
        if not names & offered:
            yield Finding(
                at=(*at, "instance_type"),
                message=f"no source lists {group.instance_type} in {profile.region} ({zone})",
                hint=f"it is listed in {', '.join(sorted(offered))}",
            )


@rule(
    "CAP010", ERROR, "an instance type is one that HyperPod offers",
    why="CreateCluster refuses a type that is not in its list.",
    source=_API, reads="compute orchestrator",
)  # fmt: skip
def hyperpod_offers_the_type(design: Design) -> Iterator[Finding]:
    """The type has an ml. name."""
    if design.profile.orchestrator is None:
        return
    for at, group, plan in planned_groups(design):
        if plan.instance_type.hyperpod_name is None:
            yield Finding(
                at=(*at, "instance_type"),
                message=f"HyperPod does not offer {group.instance_type}",
                hint="take a type of the catalogue with an `ml.` name, such as m5.4xlarge or p6-b200.48xlarge",
            )


@rule(
    "CAP011", NOTE, "large GPU groups come from reserved capacity",
    why="On-demand capacity of P5 and P6 types is rarely there for many machines at once; a cluster that cannot be filled rolls back.",
    source=_PLANS, reads="compute",
)  # fmt: skip
def large_groups_are_reserved(design: Design) -> Iterator[Finding]:
    """More than a few accelerated machines on demand."""
    for at, group, plan in planned_groups(design):
        if (
            group.capacity.kind == "on-demand"
            and plan.instance_type.max_efa > 0
            and plan.instance_type.is_gpu
            and group.count >= 8
        ):
            yield Finding(
                at=(*at, "capacity"),
                message=f"{group.count} x {group.instance_type} on demand may not be there when the cluster is created",
                hint="reserve them with a training plan; deploy the first time with `--no-rollback`",
            )


@rule(
    "CAP012", ERROR, "groups that share a reservation ask for no more machines than it holds",
    why="The last groups to start find the reservation full: they wait for ever, or the cluster is rolled back.",
    source=_PLANS, reads="compute",
)  # fmt: skip
def reservations_are_not_overdrawn(design: Design) -> Iterator[Finding]:
    """The counts of all groups of a reservation against its `instances`, wherever that is stated."""
    shared: dict[str, list[tuple[Path, Group]]] = defaultdict(list)
    for at, group in groups(design):
        reservation = reservation_of(group.capacity)
        if reservation:
            shared[reservation].append((at, group))
    for members in shared.values():
        stated = [(at, held) for at, group in members if (held := instances_of(group.capacity)) is not None]
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


RULES = (
    instance_type_is_known,
    orchestrator_takes_the_capacity,
    type_is_sold_this_way,
    training_plan_arn_fits,
    placeholders_are_replaced,
    plan_lies_in_the_groups_zone,
    zone_can_be_compared,
    ultraservers_are_whole,
    type_is_offered_here,
    hyperpod_offers_the_type,
    large_groups_are_reserved,
    reservations_are_not_overdrawn,
)
