"""Rules for instance types and their purchase options, by Region and control plane."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from config.catalog import catalog
from config.catalog.capacity.control_planes import ControlPlane
from config.design.model import Design
from config.profile.capacity.groups import Group
from config.profile.orchestrator import HyperPodEks, HyperPodSlurm
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_TYPES = "https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html"
_BLOCKS = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html"
_API = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterInstanceGroupSpecification.html"


@rule(
    "CAP001", ERROR, "an instance type is in the catalogue",
    why="ultracluster does not know the network interfaces, addresses and memory of other types. With wrong values, launches fail "
    "or the network is slow.",
    source=_TYPES, reads="compute",
)  # fmt: skip
def instance_type_is_known(design: Design) -> Iterator[Finding]:
    """Check that the catalogue has the type, with a published interface layout."""
    for at, group in design.placed_groups:
        name = group.instance_type
        if catalog().instance(name):
            continue
        close = catalog().nearest(name)
        hint = (
            f"did you mean {' or '.join(close)}?" if close else "use a type from docs/reference/catalogue.md"
        )
        if name.startswith("ml."):
            hint = f"use the EC2 name {name.removeprefix('ml.')}; ultracluster adds `ml.` for HyperPod"
        unlaid = catalog().unlaid.get(name)
        yield Finding(
            at=(*at, "instance_type"),
            message=f"{name!r} is not a known instance type" + (f": {unlaid.reason}" if unlaid else ""),
            hint=hint,
        )


@rule(
    "CAP002", ERROR, "the control plane supports the purchase option",
    why="A control plane without a field for reservations ignores the reservation. The instances then launch on demand, or do not "
    "launch at all (SLURM-07).",
    source="docs/reference/combinations.md", reads="compute orchestrator",
)  # fmt: skip
def orchestrator_supports_the_purchase_option(design: Design) -> Iterator[Finding]:
    """Check `capacity.kind` against the control plane."""
    plane = design.control_plane
    if plane is None:
        return
    for at, group in design.placed_groups:
        kind = group.capacity.kind
        if kind in plane.capacity_kinds:
            continue
        takers = [p.name for p in catalog().control_planes.values() if kind in p.capacity_kinds]
        yield Finding(
            at=(*at, "capacity", "kind"),
            message=f"{plane.name} does not support {kind!r}: {plane.capacity_refused[kind]}",
            hint=f"set `kind` to {_in_words(_kinds_for(group, plane))}; {kind} is for {' and '.join(takers)}",
        )


def _kinds_for(group: Group, plane: ControlPlane) -> frozenset[str]:
    """Return the purchase options that both the control plane and the group's instance type support.

    If both have no option in common, return all options of the control plane.
    """
    kinds = frozenset(plane.capacity_kinds)
    instance = catalog().instance(group.instance_type)
    if instance is None or not instance.is_gpu:
        return kinds
    return kinds & (instance.capacity_kinds | instance.capacity_kinds_uncertain) or kinds


def _in_words(kinds: Iterable[str]) -> str:
    *others, last = sorted(kinds)
    return f"{', '.join(others)} or {last}" if others else last


@rule(
    "CAP003", ERROR, "an instance type supports the purchase option",
    why="AWS rejects the launch, or the instances never start.",
    source=_BLOCKS, reads="compute",
    ages="the purchase options of instance types",
)  # fmt: skip
def type_has_the_purchase_option(design: Design) -> Iterator[Finding]:
    """Check `capacity.kind` against the catalogue; an option is accepted if AWS sources disagree about it."""
    for at, group, plan in design.planned_groups:
        instance, kind = plan.instance_type, group.capacity.kind
        if kind in instance.capacity_kinds or kind in instance.capacity_kinds_uncertain:
            continue
        if instance.is_gpu:
            kinds = instance.capacity_kinds | instance.capacity_kinds_uncertain
            yield Finding(
                at=(*at, "capacity", "kind"),
                message=f"{group.instance_type} is not available as {group.capacity.kind!r}",
                hint=f"set `kind` to {_in_words(kinds)}",
            )
        elif group.capacity.paid_in_advance:
            yield Finding(
                at=(*at, "capacity", "kind"),
                message=f"{group.instance_type} has no GPU and is not available as {group.capacity.kind!r}",
                hint="set `capacity: {kind: on-demand}`",
            )


@rule(
    "CAP009", WARNING, "an instance type is available in the profile's Region",
    why="A launch fails in a Region without the instance type (SLURM-11). This is a warning because AWS adds Regions after the "
    "catalogue's date.",
    source=_BLOCKS, reads="compute region availability_zone availability_zone_id",
)  # fmt: skip
def type_is_available_in_the_region(design: Design) -> Iterator[Finding]:
    """Check that AWS offers the type in the Region or zone, on demand or in Capacity Blocks."""
    profile = design.profile
    for at, group, plan in design.planned_groups:
        offered = _places_of(plan.instance_type.name)
        zone = group.zone or profile.zone
        if not offered or profile.region in offered or zone in offered:
            continue
        known = catalog().zone(zone)
        if known is None or known.name not in offered:
            yield Finding(
                at=(*at, "instance_type"),
                message=f"AWS does not list {group.instance_type} in {profile.region} ({zone})",
                hint=f"set `region` to one of {', '.join(sorted(offered))}, or check with AWS whether the type is available in "
                "your Region",
            )


@lru_cache(maxsize=256)
def _places_of(instance_type: str) -> frozenset[str]:
    """Return the listed Regions and zones of a type; empty if the list is not complete."""
    instance = catalog().instances[instance_type]
    if not instance.capacity_block_regions:
        return frozenset()
    return frozenset((*instance.on_demand_regions, *instance.capacity_block_regions))


@rule(
    "CAP010", ERROR, "HyperPod offers the instance type",
    why="CreateCluster rejects an instance type that is not in HyperPod's list.",
    source=_API, reads="compute orchestrator", where="hyperpod-slurm hyperpod-eks",
    ages="the types that HyperPod offers",
)  # fmt: skip
def hyperpod_offers_the_type(design: Design) -> Iterator[Finding]:
    """Check that the type has an `ml.` name."""
    if not isinstance(design.profile.orchestrator, HyperPodSlurm | HyperPodEks):
        return
    for at, group, plan in design.planned_groups:
        if plan.instance_type.hyperpod_name is None:
            yield Finding(
                at=(*at, "instance_type"),
                message=f"HyperPod does not offer {group.instance_type}",
                hint="use a type that has an `ml.` name in the catalogue, such as m5.4xlarge or p6-b200.48xlarge",
            )


@rule(
    "CAP011", NOTE, "large GPU groups use reserved capacity",
    why="EC2 rarely has on-demand capacity for many P5 or P6 instances at once. If a group cannot launch all its nodes, the "
    "deployment rolls back.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-reservations.html",
    reads="compute", where="on-demand",
)  # fmt: skip
def large_groups_are_reserved(design: Design) -> Iterator[Finding]:
    """Report groups of 8 or more on-demand GPU instances with EFA."""
    for at, group, plan in design.planned_groups:
        if (
            not (group.capacity.reserved or plan.purchase.interruptible)
            and plan.instance_type.max_efa > 0
            and plan.instance_type.is_gpu
            and group.count >= 8
        ):
            yield Finding(
                at=(*at, "capacity"),
                message=f"{group.count} x {group.instance_type} may not be available on demand when the cluster is created",
                hint=f"reserve the instances with {_reserved(design)}, or deploy the first time with `--no-rollback`",
            )


_IN_WORDS = {"capacity-block": "a Capacity Block", "odcr": "an ODCR", "training-plan": "a training plan"}


def _reserved(design: Design) -> str:
    """Return the reservation types that the control plane supports, as text."""
    plane = design.control_plane
    return _kinds_in_words(frozenset(plane.capacity_kinds) if plane else frozenset(_IN_WORDS))


@lru_cache(maxsize=16)
def _kinds_in_words(kinds: frozenset[str]) -> str:
    return " or ".join(word for kind, word in _IN_WORDS.items() if kind in kinds)
