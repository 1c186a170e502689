"""Sections of the catalogue page about control planes and reservations."""

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
_PLANES = """See [combinations.md](combinations.md) for the instance types of each control plane."""


def control_planes() -> Iterator[str]:
    """Yield the sections about control planes and about reservations."""
    yield "## Control planes"
    yield _PLANES
    yield table(_HEAD, [_plane(plane) for plane in catalog().control_planes.values()])
    yield "## Reservations"
    yield "\n".join(f"- {line}" for line in _terms())


def _plane(plane: ControlPlane) -> tuple[str, ...]:
    return (
        plane.title,
        ", ".join(plane.roles),
        ", ".join(sorted(plane.capacity_kinds)),
        "set by the profile" if plane.launch_template else "set by the service",
        ", ".join(plane.versions) or "-",
        str(plane.zones),
        "yes" if plane.local_zones else "no",
        f"from {plane.ultraserver_from}" if plane.ultraserver_from else "yes",
    )


def _terms() -> Iterator[str]:
    facts = catalog().reservations
    block, plan = facts.capacity_block, facts.training_plan
    yield (
        f"The duration of a Capacity Block is 1 to {block.days_one_by_one} days, or a multiple of "
        f"{block.step_days} days up to {block.max_days}. It ends at {block.ends_at} UTC. The maximum is "
        f"{block.max_instances} instances per Capacity Block, and {block.max_instances_on_a_date} instances "
        "per organization on one date."
    )
    yield (
        f"EC2 starts to terminate instances {block.terminated_minutes_before_end} minutes before the end, "
        f"UltraServers {block.ultraserver_terminated_minutes_before_end} minutes before. EKS scales a "
        f"managed node group to 0 {block.eks_scales_down_minutes_before_end} minutes before the end."
    )
    yield (
        f"The maximum duration of a training plan is {plan.max_days} days. HyperPod stops its instances "
        f"{plan.stopped_minutes_before_end} minutes before the end."
    )
    yield f"Training plans are available with {', '.join(map(str, plan.sizes))} instances."
