"""The design of a cluster: everything that is derived from a profile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from config.catalog import ControlPlane, LustreKind, catalog
from config.design.access.people import ClusterUsers
from config.design.capacity.calendar import CalendarPlan
from config.design.capacity.groups import GroupPlan
from config.design.kinds import (
    access_kinds,
    hyperpod_kinds,
    images_kinds,
    kubernetes_kinds,
    observability_kinds,
    pcs_kinds,
    storage_kinds,
)
from config.design.network.addresses import AddressBudget
from config.design.network.attachment import Attachment
from config.design.network.plan import NetworkPlan
from config.design.nodes.containers import ImagesPlan, PulledImages
from config.design.slurm.hyperpod import HyperPodSlurmPlan
from config.design.slurm.pcs import PcsPlan
from config.design.storage.home import HomePlan, declared_home
from config.design.storage.lustre import MAIN, LustrePlan, declared_lustre, name_of
from config.design.storage.object_storage import ExpressPlan, MountpointPlan
from config.design.workload.checkpoint_plan import CheckpointPlan
from config.design.zones import is_local_zone
from config.diagnostics import Path
from config.profile.capacity.groups import Group
from config.profile.model import Profile
from config.profile.source.chart_folder import ChartFolder
from config.profile.source.people_file import PeopleFile
from config.profile.source.user_script import UserScript
from config.profile.storage.lustre import AnyLustre, NewLustre
from config.profile.storage.repository import DataRepository

if TYPE_CHECKING:
    from config.design.kubernetes.hyperpod import HyperPodEksPlan
    from config.design.kubernetes.plan import EksPlan
    from config.design.observability.plan import ObservabilityPlan

_SUMMED_TYPES = 4


@dataclass(frozen=True, kw_only=True)  # without slots, because cached properties need a dict
class Design:
    """A profile with everything that is derived from it.

    `network`, `file_systems`, `home` and `express` are the parts that the cluster uses, from the profile
    itself and from the data profile. A part is None or omitted if the profile does not declare it, or if a
    rule reports an error in it. `own_file_systems` are those that the profile itself declares. `attachment`
    contains the parameters in which IDs are published (data profile) or read (cluster with `data`).
    `owns_express` is true if the profile's own stack creates the directory bucket. `users` are all users of
    the profile and of its users file.
    """

    profile: Profile
    data_profile: Profile | None
    network: NetworkPlan | None
    groups: tuple[GroupPlan, ...]
    file_systems: tuple[LustrePlan, ...]
    own_file_systems: tuple[LustrePlan, ...]
    home: HomePlan | None
    express: ExpressPlan | None
    owns_express: bool
    mountpoints: tuple[MountpointPlan, ...]
    addresses: AddressBudget
    hyperpod: HyperPodSlurmPlan | None
    hyperpod_eks: HyperPodEksPlan | None
    pcs: PcsPlan | None
    eks: EksPlan | None
    attachment: Attachment | None
    users: ClusterUsers
    checkpoints: CheckpointPlan | None
    calendar: CalendarPlan | None
    plan_observability: Callable[[], ObservabilityPlan | None] = field(repr=False, compare=False)
    images: ImagesPlan | None = None
    pulled: PulledImages | None = None
    user_script: UserScript | None = None
    chart_folder: ChartFolder | None = None
    people_file: PeopleFile | None = None

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Kinds of the profile's parts, which select the rules that apply to it."""
        profile = self.profile
        return frozenset(
            (
                *(kind for _, group in self.placed_groups for kind in group.kinds),
                profile.orchestrator.kind if profile.orchestrator else "",
                f"{profile.network.kind}-network" if profile.network else "",
                *hyperpod_kinds(profile),
                *kubernetes_kinds(profile),
                *pcs_kinds(profile),
                *images_kinds(profile),
                *observability_kinds(profile),
                *storage_kinds(profile, tuple(lustre for _, lustre in self.placed_lustre)),
                *access_kinds(profile),
                "local-zone" if is_local_zone(profile.zone) else "",
                "workload" if profile.workload else "",
                "environment" if profile.environment else "",
                "deployment" if profile.deployment else "",
                "data" if self.data_profile else "",
                "tags" if profile.tags else "",
                "budget" if profile.budget else "",
                "calendar" if profile.calendar else "",
                "closed" if self.network and self.network.closed else "",
            )
        )

    @cached_property
    def placed_groups(self) -> tuple[tuple[Path, Group], ...]:
        """Every group of the profile with its path."""
        declared = self.profile.compute.groups if self.profile.compute else ()
        return tuple((("compute", "groups", i), group) for i, group in enumerate(declared))

    @cached_property
    def control_plane(self) -> ControlPlane | None:
        """Facts about the profile's control plane; None for a profile without one."""
        orchestrator = self.profile.orchestrator
        return catalog().control_planes[orchestrator.kind] if orchestrator else None

    @cached_property
    def reserved_groups(self) -> tuple[tuple[Path, Group], ...]:
        """The groups with reserved capacity, each with its path."""
        return tuple((at, group) for at, group in self.placed_groups if group.capacity.reserved)

    @cached_property
    def planned_groups(self) -> tuple[tuple[Path, Group, GroupPlan], ...]:
        """The groups with a known instance type, each with its path and its plan."""
        by_name = {plan.name: plan for plan in self.groups}
        return tuple(
            (at, group, by_name[group.name])
            for at, group in self.placed_groups
            if group.name in by_name and by_name[group.name].instance_type.name == group.instance_type
        )

    @cached_property
    def observability(self) -> ObservabilityPlan | None:
        """Metrics, alerts and dashboards; None without a Prometheus. Computed at first use."""
        return self.plan_observability()

    @property
    def lustre(self) -> LustrePlan | None:
        """The main file system that nodes mount."""
        return next((system for system in self.file_systems if system.name == MAIN), None)

    @cached_property
    def placed_lustre(self) -> tuple[tuple[Path, AnyLustre], ...]:
        """Every Lustre file system of the profile, each with its path."""
        main = bool(self.profile.storage and self.profile.storage.lustre)
        return tuple(
            (
                ("storage", "lustre")
                if main and i == 0
                else ("storage", "additional_lustre", i - 1 if main else i),
                lustre,
            )
            for i, lustre in enumerate(declared_lustre(self.profile))
        )

    @cached_property
    def lustre_kinds(self) -> tuple[tuple[Path, AnyLustre, LustreKind], ...]:
        """The file systems of a known deployment type, each with its path."""
        facts = catalog().lustre
        found = ((at, one, facts.kind(one.deployment, one.storage)) for at, one in self.placed_lustre)
        return tuple((at, one, kind) for at, one, kind in found if kind is not None)

    @cached_property
    def planned_lustre(self) -> tuple[tuple[Path, AnyLustre, LustrePlan], ...]:
        """The file systems with a plan, each with its path and its plan."""
        by_name = {plan.name: plan for plan in self.own_file_systems}
        return tuple(
            (at, lustre, by_name[name_of(lustre)])
            for at, lustre in self.placed_lustre
            if name_of(lustre) in by_name
        )

    @cached_property
    def placed_repositories(self) -> tuple[tuple[Path, DataRepository], ...]:
        """The data repositories of the profile's own file systems, each with its path."""
        return tuple(
            ((*at, "data_repositories", i), link)
            for at, lustre in self.placed_lustre
            if isinstance(lustre, NewLustre)
            for i, link in enumerate(lustre.data_repositories)
        )

    @property
    def summary(self) -> str:
        """The description of the profile, or a summary of its groups: `16 x p6-b200.48xlarge`."""
        if self.profile.description.strip():
            return self.profile.description.strip()
        counts: Counter[str] = Counter()
        for group in self.groups:
            if group.role == "compute":
                counts[group.instance_type.name] += group.count
        machines = [f"{count} x {name}" for name, count in counts.most_common(_SUMMED_TYPES)]
        if len(counts) > _SUMMED_TYPES:
            machines.append(f"{len(counts) - _SUMMED_TYPES} more instance types")
        data = f" on {self.data_profile.name}" if self.data_profile else ""
        return (", ".join(machines) or "network and storage") + data

    @property
    def owns_network(self) -> bool:
        """True if the profile sets `network`."""
        return self.profile.network is not None

    @property
    def owns_lustre(self) -> bool:
        """True if the profile itself declares a Lustre file system."""
        return bool(self.placed_lustre)

    @property
    def owns_home(self) -> bool:
        """True if the profile itself declares home directories."""
        return self.home is not None and declared_home(self.profile) is not None

    @property
    def publishes(self) -> bool:
        """True for a data profile, whose network or storage other profiles use."""
        return self.owns_network and self.profile.compute is None and self.attachment is not None
