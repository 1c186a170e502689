"""Control planes with their features and limits, VPC endpoints of services, and terms of reservations."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from config.catalog.hardware import CapacityKind, Sourced, Sources

Service = Literal["hyperpod", "pcs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlPlane(Sourced):
    """A control plane that ultracluster supports.

    ``service`` is the service flag of a Region in which the control plane is available; None for all Regions.
    ``capacity_refused`` has the reason for each purchase option that is not in ``capacity_kinds``.
    ``launch_template`` is True if the profile sets the interfaces of a node. ``zones`` is the number of
    Availability Zones in which the control plane needs subnets; Local Zones do not count if ``zones`` is
    above 1. ``local_zones`` is True if nodes may be in a Local Zone. ``ultraserver_from`` is the first
    version that supports UltraServers. ``max_groups`` and ``max_nodes`` are fixed limits; None if no limit is
    known.
    """

    name: str
    title: str
    service: Service | None
    roles: tuple[str, ...]
    capacity_kinds: frozenset[CapacityKind]
    capacity_refused: Mapping[CapacityKind, str] = field(hash=False)
    launch_template: bool
    local_zones: bool
    zones: int
    versions: tuple[str, ...]
    ultraserver_from: str | None
    max_groups: int | None
    max_nodes: int | None
    sources: Sources = field(hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceEndpoint(Sourced):
    """A service that nodes call, and its VPC endpoint for networks without internet access.

    ``name`` is the last part of the endpoint's service name (``ecr.api``). ``gateway`` is True for a gateway
    endpoint, which is a route in route tables. ``what`` is the purpose. Nodes of ``control_planes`` call the
    service if the cluster has the part ``when``. Nodes of every control plane call it if the cluster has the
    part ``also``.
    """

    name: str
    gateway: bool
    what: str
    control_planes: tuple[str, ...]
    when: Literal["always", "lustre", "prometheus", "cloudwatch", "secret", "karpenter"]
    sources: Sources = field(hash=False)
    also: Literal["images"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityBlockTerms:
    """Limits of EC2 Capacity Blocks in days and instances, and the times before the end at which AWS acts."""

    days_one_by_one: int
    step_days: int
    max_days: int
    ends_at: str
    max_instances: int
    max_instances_on_a_date: int
    terminated_minutes_before_end: int
    ultraserver_terminated_minutes_before_end: int
    eks_scales_down_minutes_before_end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPlanTerms:
    """Limits of SageMaker training plans: days, instances, and how long before the end nodes stop."""

    max_days: int
    sizes: tuple[int, ...]
    stopped_minutes_before_end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservations(Sourced):
    """The terms of Capacity Blocks and training plans."""

    capacity_block: CapacityBlockTerms
    training_plan: TrainingPlanTerms
    sources: Sources = field(hash=False)
