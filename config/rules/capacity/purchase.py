"""Machines that exist, are sold this way and here, and can be taken by the control plane."""

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
    "CAP001", ERROR, "an instance type is one of the catalogue's",
    why="Interfaces, addresses and memory of an unknown type cannot be known; a guess fails at launch or is slow.",
    source=_TYPES, reads="compute",
)  # fmt: skip
def instance_type_is_known(design: Design) -> Iterator[Finding]:
    """The type has a row, and a public interface layout."""
    for at, group in design.placed_groups:
        name = group.instance_type
        if catalog().instance(name):
            continue
        close = catalog().nearest(name)
        hint = (
            f"did you mean {' or '.join(close)}?"
            if close
            else "docs/reference/catalogue.md lists the known types"
        )
        if name.startswith("ml."):
            hint = f"write the EC2 name, {name.removeprefix('ml.')}; ultracluster adds `ml.` for HyperPod"
        unlaid = catalog().unlaid.get(name)
        yield Finding(
            at=(*at, "instance_type"),
            message=f"{name!r} is not a known instance type" + (f": {unlaid.reason}" if unlaid else ""),
            hint=hint,
        )


@rule(
    "CAP002", ERROR, "the control plane can take machines from the stated kind of capacity",
    why="A reservation that the control plane has no field for is ignored: the machines are bought on demand, or never "
    "come (SLURM-07).",
    source="docs/reference/combinations.md", reads="compute orchestrator",
)  # fmt: skip
def orchestrator_takes_the_capacity(design: Design) -> Iterator[Finding]:
    """Capacity kinds against the control plane."""
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
            message=f"{plane.name} cannot take machines from {kind!r}: {plane.capacity_refused[kind]}",
            hint=f"use {_in_words(_kinds_for(group, plane))}; {kind} is for {' and '.join(takers)}",
        )


def _kinds_for(group: Group, plane: ControlPlane) -> frozenset[str]:
    """What the control plane takes of what the group's type is sold as; all where they have nothing in common."""
    kinds = frozenset(plane.capacity_kinds)
    instance = catalog().instance(group.instance_type)
    if instance is None or not instance.is_gpu:
        return kinds
    return kinds & (instance.capacity_kinds | instance.capacity_kinds_uncertain) or kinds


def _in_words(kinds: Iterable[str]) -> str:
    *others, last = sorted(kinds)
    return f"{', '.join(others)} or {last}" if others else last


@rule(
    "CAP003", ERROR, "an instance type is sold as the stated kind of capacity",
    why="The service refuses the launch, or never fills it.",
    source=_BLOCKS, reads="compute",
    ages="how each type is sold",
)  # fmt: skip
def type_is_sold_this_way(design: Design) -> Iterator[Finding]:
    """Capacity kinds against the catalogue; where sources disagree nothing is refused."""
    for at, group, plan in design.planned_groups:
        instance, kind = plan.instance_type, group.capacity.kind
        if kind in instance.capacity_kinds or kind in instance.capacity_kinds_uncertain:
            continue
        if instance.is_gpu:
            kinds = instance.capacity_kinds | instance.capacity_kinds_uncertain
            yield Finding(
                at=(*at, "capacity", "kind"),
                message=f"{group.instance_type} is not sold as {group.capacity.kind!r}",
                hint=f"it is sold as {', '.join(sorted(kinds))}",
            )
        elif group.capacity.paid_in_advance:
            yield Finding(
                at=(*at, "capacity", "kind"),
                message=f"{group.instance_type} has no GPU and is not sold as {group.capacity.kind!r}",
                hint="write `capacity: {kind: on-demand}`",
            )


@rule(
    "CAP009", WARNING, "an instance type is offered in the profile's Region",
    why="A launch in a Region without the type fails (SLURM-11); the lists age, so this is a warning.",
    source=_BLOCKS, reads="compute region availability_zone availability_zone_id",
)  # fmt: skip
def type_is_offered_here(design: Design) -> Iterator[Finding]:
    """Regions with a price or a Capacity Block; zones that sell a type alone."""
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
                message=f"no source lists {group.instance_type} in {profile.region} ({zone})",
                hint=f"it is listed in {', '.join(sorted(offered))}",
            )


@lru_cache(maxsize=256)
def _places_of(instance_type: str) -> frozenset[str]:
    """Regions and zones that are listed for a type; none where Regions were not listed in full."""
    instance = catalog().instances[instance_type]
    if not instance.capacity_block_regions:
        return frozenset()
    return frozenset((*instance.on_demand_regions, *instance.capacity_block_regions))


@rule(
    "CAP010", ERROR, "an instance type is one that HyperPod offers",
    why="CreateCluster refuses a type that is not in its list.",
    source=_API, reads="compute orchestrator", where="hyperpod-slurm hyperpod-eks",
    ages="the types that HyperPod offers",
)  # fmt: skip
def hyperpod_offers_the_type(design: Design) -> Iterator[Finding]:
    """The type has an ml. name."""
    if not isinstance(design.profile.orchestrator, HyperPodSlurm | HyperPodEks):
        return
    for at, group, plan in design.planned_groups:
        if plan.instance_type.hyperpod_name is None:
            yield Finding(
                at=(*at, "instance_type"),
                message=f"HyperPod does not offer {group.instance_type}",
                hint="take a type of the catalogue with an `ml.` name, such as m5.4xlarge or p6-b200.48xlarge",
            )


@rule(
    "CAP011", NOTE, "large GPU groups come from reserved capacity",
    why="On-demand capacity of P5 and P6 types is rarely there for many machines at once; a cluster that cannot be filled rolls back.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-reservations.html",
    reads="compute", where="on-demand",
)  # fmt: skip
def large_groups_are_reserved(design: Design) -> Iterator[Finding]:
    """More than a few accelerated machines on demand."""
    for at, group, plan in design.planned_groups:
        if (
            not (group.capacity.reserved or plan.purchase.interruptible)
            and plan.instance_type.max_efa > 0
            and plan.instance_type.is_gpu
            and group.count >= 8
        ):
            yield Finding(
                at=(*at, "capacity"),
                message=f"{group.count} x {group.instance_type} on demand may not be there when the cluster is created",
                hint=f"reserve them with {_reserved(design)}; deploy the first time with `--no-rollback`",
            )


_IN_WORDS = {"capacity-block": "a Capacity Block", "odcr": "an ODCR", "training-plan": "a training plan"}


def _reserved(design: Design) -> str:
    """The kinds of reserved capacity that the control plane takes, in words."""
    plane = design.control_plane
    return _kinds_in_words(frozenset(plane.capacity_kinds) if plane else frozenset(_IN_WORDS))


@lru_cache(maxsize=16)
def _kinds_in_words(kinds: frozenset[str]) -> str:
    return " or ".join(word for kind, word in _IN_WORDS.items() if kind in kinds)
