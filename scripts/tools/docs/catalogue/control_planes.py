"""The catalogue page's sections about control planes and what is reserved from one date to another."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import ControlPlane, catalog
from scripts.tools.docs.markdown import table

_HEAD = (
    "control plane",
    "roles",
    "capacity",
    "interfaces",
    "versions",
    "zones",
    "Local Zone",
    "UltraServers",
)
_PLANES = """Which machines that gives is in [combinations.md](combinations.md)."""


def control_planes() -> Iterator[str]:
    """Both sections."""
    yield "## Control planes"
    yield _PLANES
    yield table(_HEAD, [_plane(plane) for plane in catalog().control_planes.values()])
    yield "## What is reserved"
    yield "\n".join(f"- {line}" for line in _terms())


def _plane(plane: ControlPlane) -> tuple[str, ...]:
    return (
        plane.title,
        ", ".join(plane.roles),
        ", ".join(sorted(plane.capacity_kinds)),
        "of the profile" if plane.launch_template else "of the service",
        ", ".join(plane.versions) or "-",
        str(plane.zones),
        "yes" if plane.local_zones else "no",
        f"from {plane.ultraserver_from}" if plane.ultraserver_from else "yes",
    )


def _terms() -> Iterator[str]:
    facts = catalog().reservations
    block, plan = facts.capacity_block, facts.training_plan
    yield (
        f"A Capacity Block runs for 1 to {block.days_one_by_one} days, or in steps of {block.step_days} up "
        f"to {block.max_days}, and ends at {block.ends_at} UTC; it holds {block.max_instances} machines at "
        f"most, an organization {block.max_instances_on_a_date} on one date."
    )
    yield (
        f"EC2 begins to terminate its machines {block.terminated_minutes_before_end} minutes before the end, "
        f"UltraServers {block.ultraserver_terminated_minutes_before_end}; EKS scales a node group to 0 "
        f"{block.eks_scales_down_minutes_before_end} minutes before."
    )
    yield (
        f"A training plan runs for {plan.max_days} days at most; HyperPod stops its machines "
        f"{plan.stopped_minutes_before_end} minutes before the end."
    )
    yield f"Training plans are offered with {', '.join(map(str, plan.sizes))} machines."
