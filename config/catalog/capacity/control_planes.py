"""What each control plane can use, and how machines are reserved."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from config.catalog.hardware import CapacityKind, Sourced, Sources

Service = Literal["hyperpod", "pcs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlPlane(Sourced):
    """One of the control planes of the contract.

    ``service`` names the flag of a Region that says whether it exists there (None: everywhere).
    ``capacity_refused`` says why a kind that is not in ``capacity_kinds`` cannot be used.
    ``launch_template`` is True where the profile decides the interfaces of a node. ``zones`` is how many
    availability zones of the Region itself (Local Zones do not count where it is more than one) the control
    plane needs subnets in. ``local_zones`` is True where nodes may stand in one. ``ultraserver_from`` is the
    first version that runs UltraServers; ``max_groups`` and ``max_nodes`` are limits that nobody can raise
    (None: no such limit is known).
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
    """A service that nodes call, and the VPC endpoint that reaches it without the internet.

    ``name`` is the last part of the endpoint's service name (``ecr.api``); ``gateway`` is True for a gateway
    endpoint, which stands in route tables. ``what`` it is called for, by the nodes of ``control_planes``,
    ``when`` the cluster has such a part; under every control plane where it has the part ``also``.
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
    """How EC2 sells Capacity Blocks: days, machines, and minutes before the end when machines go."""

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
    """How SageMaker sells training plans: days, machines, and minutes before the end when machines stop."""

    max_days: int
    sizes: tuple[int, ...]
    stopped_minutes_before_end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservations(Sourced):
    """The terms of what is reserved from one date to another."""

    capacity_block: CapacityBlockTerms
    training_plan: TrainingPlanTerms
    sources: Sources = field(hash=False)
