"""Dates, sizes and places that reserved machines are sold in: what no launch can change any more."""

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
    "CAP024", ERROR, "a reservation starts before it ends, on days that there are",
    why="What ends when, and what it costs, would be told wrongly.",
    source=_BLOCKS, reads="compute", where="capacity-block training-plan",
)  # fmt: skip
def window_is_one(design: Design) -> Iterator[Finding]:
    """`start` and `end` as moments in their order."""
    for at, group in design.reserved_groups:
        here = (*at, "capacity")
        for key in ("start", "end"):
            text = getattr(group.capacity, key)
            if text is not None and moment(text) is None:
                yield Finding(
                    at=(*here, key), message=f"{text} is no day of its month", hint="correct the date"
                )
        start, end = moment(group.capacity.start), moment(group.capacity.end)
        if start and end and end <= start:
            message = "the reservation ends before it starts"
            yield Finding(at=(*here, "end"), message=message, hint="correct `start` or `end`")


@rule(
    "CAP018", ERROR, "a reservation runs for a time that is sold",
    why="Capacity Blocks are sold by the day up to 14 days, then by the week up to 182, and end at 11:30 UTC; training plans "
    "run for 182 days at most. Other dates are a mistake, and with them the plan of what ends when.",
    source=_BLOCKS, reads="compute", where="capacity-block training-plan",
    ages="for how long reservations are sold",
)  # fmt: skip
def window_is_one_that_is_sold(design: Design) -> Iterator[Finding]:
    """`start` and `end` of blocks and plans."""
    for at, group in design.reserved_groups:
        purchase = purchase_of(group.capacity)
        window = purchase.window(None)
        if window is not None:
            yield from _length((*at, "capacity", "end"), purchase, window)


def _length(at: Path, purchase: Purchase, window: Window) -> Iterator[Finding]:
    block, plan = purchase.block, purchase.plan
    if window.length is not None and window.length <= timedelta(0):
        return  # CAP024 says so
    if block and window.end is not None and window.end.strftime("%H:%M") != block.ends_at:
        yield Finding(
            at=at,
            message=f"the block ends at {window.end:%H:%M} UTC; Capacity Blocks end at {block.ends_at}",
            hint=f"write {window.end:%Y-%m-%d}T{block.ends_at}Z, as `aws ec2 describe-capacity-reservations` tells it",
        )
        return  # the days are counted once the hour is right
    if window.length is None:
        return
    days = -(-window.length // timedelta(days=1))
    if plan and days > plan.max_days:
        yield Finding(
            at=at,
            message=f"the plan runs for {days} days; {plan.max_days} are the most",
            hint="correct `start` or `end`",
        )
    if block and (days > block.max_days or (days > block.days_one_by_one and days % block.step_days)):
        shorter, longer = days - days % block.step_days, days + -days % block.step_days
        near = f"{block.max_days}" if longer > block.max_days else f"{shorter} or {longer}"
        yield Finding(
            at=at,
            message=f"the block runs for {days} days; it is sold for 1 to {block.days_one_by_one}, then in steps of "
            f"{block.step_days} to {block.max_days}",
            hint=f"correct `start` or `end`: the nearest are {near} days",
        )


@rule(
    "CAP019", ERROR, "a Capacity Block holds a number of machines that is sold",
    why="A block has 64 machines at most, and a block of UltraServers is exactly one of them.",
    source=_BLOCKS, reads="compute", where="capacity-block",
    ages="how many machines a Capacity Block holds",
)  # fmt: skip
def block_has_a_size_that_is_sold(design: Design) -> Iterator[Finding]:
    """`count` and `instances` of groups on Capacity Blocks."""
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
                message=f"a block of {unit.name} holds {unit.instances} machines, not {held}",
                hint=f"write {unit.instances}, or take `instances` out",
            )
        elif held is not None and held > most:
            yield Finding(
                at=(*at, "capacity", "instances"),
                message=f"{held} machines in one Capacity Block; {most} are the most",
                hint="make a group for each block",
            )
        if unit is None and group.count > most:
            yield Finding(
                at=(*at, "count"),
                message=f"{group.count} machines of one Capacity Block, which holds {most} at most",
                hint="make a group for each block",
            )


@rule(
    "CAP020", WARNING, "a training plan holds a number of machines that is offered",
    why="The guide lists these sizes; a plan of another size is probably mistyped.",
    source=_PLANS, reads="compute", where="training-plan",
)  # fmt: skip
def plan_has_a_size_that_is_offered(design: Design) -> Iterator[Finding]:
    """`instances` of training plans without UltraServers."""
    for at, group in design.reserved_groups:
        plan, held = purchase_of(group.capacity).plan, group.capacity.instances
        if plan and not group.capacity.ultraserver and held is not None and held not in plan.sizes:
            yield Finding(
                at=(*at, "capacity", "instances"),
                message=f"a plan of {held} machines; the sizes offered are {', '.join(map(str, plan.sizes))}",
                hint="write the number that `aws sagemaker describe-training-plan` tells",
            )


@rule(
    "CAP015", ERROR, "a launch on a Capacity Block names no placement group",
    why="Placement groups are not supported with Capacity Blocks (EC2-06, SLURM-06).",
    source=_BLOCKS, reads="compute", where="capacity-block",
)  # fmt: skip
def placement_is_left_to_the_block(design: Design) -> Iterator[Finding]:
    """`placement_group` of groups on Capacity Blocks."""
    for at, group in design.reserved_groups:
        if purchase_of(group.capacity).block and group.placement_group is not None:
            yield Finding(
                at=(*at, "placement_group"),
                message=f"a placement group beside the Capacity Block {group.capacity.reservation_id}",
                hint="take `placement_group` out: the block's machines stand close together by themselves",
            )


@rule(
    "CAP021", ERROR, "a placement group and a reservation belong together",
    why="A reservation that was not made in the placement group serves no launch into it, and one that was serves no other: "
    "11 of 16 reserved nodes came up, or none (EC2-04, EC2-05, EKS-03, EKS-07).",
    source=_PLACED, reads="compute", where="odcr",
)  # fmt: skip
def placement_is_that_of_the_reservation(design: Design) -> Iterator[Finding]:
    """`placement_group` of the group and of its reservation."""
    for at, group in design.reserved_groups:
        if group.capacity.match is None:
            continue
        made_in, asked = group.capacity.placement_group, group.placement_group
        named = asked.name if isinstance(asked, ExistingPlacementGroup) else None
        if (asked is None and made_in is None) or (named is not None and named == made_in):
            continue
        yield Finding(
            at=(*at, "placement_group") if asked else (*at, "capacity", "placement_group"),
            message=f"the reservation was made {f'in the placement group {made_in}' if made_in else 'in no placement group'}; "
            f"the group launches into {named or ('a new one' if asked else 'none')}",
            hint=f"write `placement_group: {{kind: existing, name: {made_in}}}` for the group"
            if made_in
            else "take `placement_group` out, or state under `capacity` in which one the reservation was made",
        )
