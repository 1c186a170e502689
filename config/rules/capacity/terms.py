"""Rules for dates, sizes and placement of reservations, which are fixed at purchase."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from config.catalog import catalog
from config.design.capacity.purchase import Purchase, purchase_of
from config.design.capacity.windows import Window, moment
from config.design.model import Design
from config.diagnostics import Path
from config.profile.capacity.groups import ExistingPlacementGroup
from config.rules.registry import ERROR, WARNING, Finding, rule

_BLOCKS = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html"
_PLANS = "https://docs.aws.amazon.com/sagemaker/latest/dg/reserve-capacity-with-training-plans.html"
_PLACED = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html"


@rule(
    "CAP024", ERROR, "a reservation starts before it ends, on valid dates",
    why="The plan calculates end dates and costs from `start` and `end`, so the plan would be wrong.",
    source=_BLOCKS, reads="compute", where="capacity-block training-plan",
)  # fmt: skip
def window_is_valid(design: Design) -> Iterator[Finding]:
    """Check that `start` and `end` are dates, and that `start` is before `end`."""
    for at, group in design.reserved_groups:
        here = (*at, "capacity")
        for key in ("start", "end"):
            text = getattr(group.capacity, key)
            if text is not None and moment(text) is None:
                yield Finding(at=(*here, key), message=f"{text} is not a valid date", hint=f"correct `{key}`")
        start, end = moment(group.capacity.start), moment(group.capacity.end)
        if start and end and end <= start:
            message = "the reservation ends before it starts"
            yield Finding(at=(*here, "end"), message=message, hint="correct `start` or `end`")


@rule(
    "CAP018", ERROR, "a reservation has a duration that AWS offers",
    why="A Capacity Block lasts 1 to 14 days, or up to 182 days in steps of a week, and ends at 11:30 UTC. A training plan lasts "
    "at most 182 days. If `start` or `end` is wrong, the end dates in the plan are wrong too.",
    source=_BLOCKS, reads="compute", where="capacity-block training-plan",
    ages="the durations of reservations",
)  # fmt: skip
def window_has_an_offered_duration(design: Design) -> Iterator[Finding]:
    """Check `start` and `end` of Capacity Blocks and training plans."""
    for at, group in design.reserved_groups:
        purchase = purchase_of(group.capacity)
        window = purchase.window(None)
        if window is not None:
            yield from _length((*at, "capacity", "end"), purchase, window)


def _length(at: Path, purchase: Purchase, window: Window) -> Iterator[Finding]:
    block, plan = purchase.block, purchase.plan
    if window.length is not None and window.length <= timedelta(0):
        return  # CAP024 reports the dates
    if block and window.end is not None and window.end.strftime("%H:%M") != block.ends_at:
        yield Finding(
            at=at,
            message=f"`end` is {window.end:%H:%M} UTC, but all Capacity Blocks end at {block.ends_at} UTC",
            hint=f"set `end` to {window.end:%Y-%m-%d}T{block.ends_at}Z; `aws ec2 describe-capacity-reservations` shows the date",
        )
        return  # the number of days is only correct with the right hour
    if window.length is None:
        return
    days = -(-window.length // timedelta(days=1))
    if plan and days > plan.max_days:
        yield Finding(
            at=at,
            message=f"the training plan lasts {days} days, but the maximum is {plan.max_days}",
            hint="correct `start` or `end`",
        )
    if block and (days > block.max_days or (days > block.days_one_by_one and days % block.step_days)):
        shorter, longer = days - days % block.step_days, days + -days % block.step_days
        near = f"{block.max_days}" if longer > block.max_days else f"{shorter} or {longer}"
        yield Finding(
            at=at,
            message=f"the Capacity Block lasts {days} days; allowed are 1 to {block.days_one_by_one} days, then steps of "
            f"{block.step_days} days up to {block.max_days}",
            hint=f"correct `start` or `end` to a duration of {near} days",
        )


@rule(
    "CAP019", ERROR, "a Capacity Block has a size that AWS offers",
    why="A Capacity Block has at most 64 instances. A Capacity Block of UltraServers is exactly one UltraServer.",
    source=_BLOCKS, reads="compute", where="capacity-block",
    ages="the maximum size of a Capacity Block",
)  # fmt: skip
def capacity_block_has_an_offered_size(design: Design) -> Iterator[Finding]:
    """Check `count` and `instances` of groups on Capacity Blocks."""
    for at, group in design.reserved_groups:
        block = purchase_of(group.capacity).block
        if block is None:
            continue
        most = block.max_instances
        unit = catalog().units_of(group.instance_type).get(group.capacity.ultraserver or "")
        held = group.capacity.instances
        if unit is not None and held is not None and held != unit.instances:
            yield Finding(
                at=(*at, "capacity", "instances"),
                message=f"a Capacity Block of {unit.name} has {unit.instances} instances, not {held}",
                hint=f"set `instances` to {unit.instances}, or remove `instances`",
            )
        elif held is not None and held > most:
            yield Finding(
                at=(*at, "capacity", "instances"),
                message=f"`instances` is {held}, but a Capacity Block has at most {most}",
                hint="buy more Capacity Blocks, and declare one group for each",
            )
        if unit is None and group.count > most:
            yield Finding(
                at=(*at, "count"),
                message=f"`count` is {group.count}, but a Capacity Block has at most {most} instances",
                hint="buy more Capacity Blocks, and declare one group for each",
            )


@rule(
    "CAP020", WARNING, "a training plan has a size that AWS offers",
    why="The SageMaker guide lists the sizes of a training plan. A number that is not in that list is probably a typing error.",
    source=_PLANS, reads="compute", where="training-plan",
)  # fmt: skip
def training_plan_has_an_offered_size(design: Design) -> Iterator[Finding]:
    """Check `instances` of training plans without UltraServers."""
    for at, group in design.reserved_groups:
        plan, held = purchase_of(group.capacity).plan, group.capacity.instances
        if plan and not group.capacity.ultraserver and held is not None and held not in plan.sizes:
            yield Finding(
                at=(*at, "capacity", "instances"),
                message=f"a training plan cannot have {held} instances, only {', '.join(map(str, plan.sizes))}",
                hint="set `instances` to the number from `aws sagemaker describe-training-plan`",
            )


@rule(
    "CAP015", ERROR, "a group on a Capacity Block has no placement group",
    why="EC2 does not support placement groups with Capacity Blocks, so the launch fails (EC2-06, SLURM-06).",
    source=_BLOCKS, reads="compute", where="capacity-block",
)  # fmt: skip
def capacity_block_has_no_placement_group(design: Design) -> Iterator[Finding]:
    """Report `placement_group` of groups on Capacity Blocks."""
    for at, group in design.reserved_groups:
        if purchase_of(group.capacity).block and group.placement_group is not None:
            yield Finding(
                at=(*at, "placement_group"),
                message=f"`placement_group` is not supported with the Capacity Block {group.capacity.reservation_id}",
                hint="remove `placement_group`; EC2 places the instances of a Capacity Block close together",
            )


@rule(
    "CAP021", ERROR, "a group uses the placement group of its reservation",
    why="A reservation serves only launches into the placement group that it was created in. Users who launched into another "
    "placement group got 11 of 16 reserved nodes, or none (EC2-04, EC2-05, EKS-03, EKS-07).",
    source=_PLACED, reads="compute", where="odcr",
)  # fmt: skip
def placement_group_is_that_of_the_reservation(design: Design) -> Iterator[Finding]:
    """Compare `placement_group` of the group and of its reservation."""
    for at, group in design.reserved_groups:
        if group.capacity.match is None:
            continue
        made_in, asked = group.capacity.placement_group, group.placement_group
        named = asked.name if isinstance(asked, ExistingPlacementGroup) else None
        if (asked is None and made_in is None) or (named is not None and named == made_in):
            continue
        launch = f"into {named or 'a new placement group'}" if asked else "without a placement group"
        yield Finding(
            at=(*at, "placement_group") if asked else (*at, "capacity", "placement_group"),
            message=f"the reservation was created {f'in placement group {made_in}' if made_in else 'without a placement group'}, "
            f"but group {group.name} launches {launch}",
            hint=f"set `placement_group: {{kind: existing, name: {made_in}}}` for the group"
            if made_in
            else "remove `placement_group`, or set `capacity.placement_group` to the placement group of the reservation",
        )
