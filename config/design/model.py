"""The cluster design: everything that follows from a profile, decided once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from config.catalog import ControlPlane, LustreKind, catalog
from config.design.access.people import Everybody, everybody
from config.design.capacity.groups import GroupPlan, plan_groups
from config.design.kinds import (
    access_kinds,
    hyperpod_kinds,
    images_kinds,
    kubernetes_kinds,
    life_kinds,
    observability_kinds,
    pcs_kinds,
    storage_kinds,
)
from config.design.network.addresses import AddressBudget, plan_addresses
from config.design.network.attachment import Attachment, plan_attachment
from config.design.network.plan import NetworkPlan, is_local_zone, plan_network
from config.design.nodes.containers import ImagesPlan, PulledImages, plan_images, plan_pulled
from config.design.nodes.scripts import with_registry
from config.design.nodes.storage import NodeStorage, node_storage
from config.design.slurm.hyperpod import HyperPodSlurmPlan, plan_hyperpod_slurm
from config.design.slurm.pcs import PcsPlan, plan_pcs
from config.design.storage.home import HomePlan, plan_home, stated_home
from config.design.storage.lustre import MAIN, LustrePlan, name_of, plan_file_systems, stated_lustre
from config.design.storage.object_storage import ExpressPlan, MountpointPlan, plan_express, plan_mountpoints
from config.diagnostics import Path
from config.profile.capacity.groups import Group
from config.profile.kubernetes.base import Kubernetes
from config.profile.model import Profile
from config.profile.source.chart_folder import ChartFolder
from config.profile.source.people_file import PeopleFile
from config.profile.source.user_script import UserScript
from config.profile.storage.lustre import AnyLustre, NewLustre
from config.profile.storage.repository import DataRepository

if TYPE_CHECKING:
    from config.design.kubernetes.hyperpod import HyperPodEksPlan
    from config.design.kubernetes.plan import EksPlan
    from config.design.money.machines import Cost
    from config.design.observability.plan import ObservabilityPlan

_SUMMED_TYPES = 4

SlurmPlan = TypeVar("SlurmPlan", HyperPodSlurmPlan, PcsPlan)


@dataclass(frozen=True, kw_only=True)  # without slots: what rules walk again and again is kept
class Design:
    """A profile with all that follows from it.

    `network`, `file_systems`, `home` and `express` are those that the cluster stands on, its own and the data
    profile's; a part is None or left out when the profile has none or when a rule refuses it.
    `own_file_systems` are those that the profile states itself. `attachment` says where the ids are published
    (a data profile) or read (a cluster profile with `data`).
    """

    profile: Profile
    data_profile: Profile | None
    network: NetworkPlan | None
    groups: tuple[GroupPlan, ...]
    file_systems: tuple[LustrePlan, ...]
    own_file_systems: tuple[LustrePlan, ...]
    home: HomePlan | None
    express: ExpressPlan | None
    mountpoints: tuple[MountpointPlan, ...]
    addresses: AddressBudget
    hyperpod: HyperPodSlurmPlan | None
    hyperpod_eks: HyperPodEksPlan | None
    pcs: PcsPlan | None
    eks: EksPlan | None
    attachment: Attachment | None
    images: ImagesPlan | None = None
    pulled: PulledImages | None = None
    user_script: UserScript | None = None
    chart_folder: ChartFolder | None = None
    people_file: PeopleFile | None = None

    @cached_property
    def everybody(self) -> Everybody:
        """All people of the profile and its file, with their ids."""
        return everybody(self.profile.access, self.people_file)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """What kinds of part the profile has: a rule about another kind has nothing to say here."""
        profile = self.profile
        found = {group.capacity.kind for _, group in self.placed_groups}
        return frozenset(
            (
                *found,
                profile.orchestrator.kind if profile.orchestrator else "",
                f"{profile.network.kind}-network" if profile.network else "",
                *hyperpod_kinds(profile),
                *life_kinds(profile),
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
        """Every group of the profile with its place in it."""
        stated = self.profile.compute.groups if self.profile.compute else ()
        return tuple((("compute", "groups", i), group) for i, group in enumerate(stated))

    @cached_property
    def control_plane(self) -> ControlPlane | None:
        """What the profile's control plane can use; None for a profile without one."""
        orchestrator = self.profile.orchestrator
        return catalog().control_planes[orchestrator.kind] if orchestrator else None

    @cached_property
    def reserved_groups(self) -> tuple[tuple[Path, Group], ...]:
        """The groups whose machines come from a reservation, each with its place."""
        return tuple(
            (at, group)
            for at, group in self.placed_groups
            if group.capacity.kind not in ("on-demand", "spot")
        )

    @cached_property
    def planned_groups(self) -> tuple[tuple[Path, Group, GroupPlan], ...]:
        """The groups whose instance type is known, each with its place and its plan."""
        by_name = {plan.name: plan for plan in self.groups}
        return tuple(
            (at, group, by_name[group.name])
            for at, group in self.placed_groups
            if group.name in by_name and by_name[group.name].instance_type.name == group.instance_type
        )

    @cached_property
    def observability(self) -> ObservabilityPlan | None:
        """What is measured, told and shown; None without a Prometheus. Worked out when somebody asks."""
        # its tables are read where something is made of them, and not to validate a profile
        from config.design.observability.plan import plan_observability

        return plan_observability(self)

    @cached_property
    def cost(self) -> Cost:
        """What the profile's own stack costs, by the listed prices. Worked out when somebody asks."""
        # prices of services are read for a plan or a budget, and not to validate a profile
        from config.design.money.costs import plan_cost

        return plan_cost(self)

    @property
    def lustre(self) -> LustrePlan | None:
        """The main file system that nodes mount."""
        return next((system for system in self.file_systems if system.name == MAIN), None)

    @cached_property
    def placed_lustre(self) -> tuple[tuple[Path, AnyLustre], ...]:
        """Every file system that the profile states, each with its place."""
        main = bool(self.profile.storage and self.profile.storage.lustre)
        return tuple(
            (
                ("storage", "lustre")
                if main and i == 0
                else ("storage", "additional_lustre", i - 1 if main else i),
                lustre,
            )
            for i, lustre in enumerate(stated_lustre(self.profile))
        )

    @cached_property
    def lustre_kinds(self) -> tuple[tuple[Path, AnyLustre, LustreKind], ...]:
        """The stated file systems of a kind that exists, each with its place."""
        facts = catalog().lustre
        found = ((at, one, facts.kind(one.deployment, one.storage)) for at, one in self.placed_lustre)
        return tuple((at, one, kind) for at, one, kind in found if kind is not None)

    @cached_property
    def planned_lustre(self) -> tuple[tuple[Path, AnyLustre, LustrePlan], ...]:
        """The stated file systems that can be planned, each with its place and its plan."""
        by_name = {plan.name: plan for plan in self.own_file_systems}
        return tuple(
            (at, lustre, by_name[name_of(lustre)])
            for at, lustre in self.placed_lustre
            if name_of(lustre) in by_name
        )

    @cached_property
    def placed_repositories(self) -> tuple[tuple[Path, DataRepository], ...]:
        """The data repositories of the profile's own file systems, each with its place."""
        return tuple(
            ((*at, "data_repositories", i), link)
            for at, lustre in self.placed_lustre
            if isinstance(lustre, NewLustre)
            for i, link in enumerate(lustre.data_repositories)
        )

    @property
    def summary(self) -> str:
        """What the profile is, in its own words or else in a line: `16 x p6-b200.48xlarge`."""
        if self.profile.description.strip():
            return self.profile.description.strip()
        counts: Counter[str] = Counter()
        for group in self.groups:
            if group.role == "compute":
                counts[group.instance_type.name] += group.count
        machines = [f"{count} x {name}" for name, count in counts.most_common(_SUMMED_TYPES)]
        if len(counts) > _SUMMED_TYPES:
            machines.append(f"machines of {len(counts) - _SUMMED_TYPES} more types")
        data = f" on {self.data_profile.name}" if self.data_profile else ""
        return (", ".join(machines) or "network and storage") + data

    @property
    def owns_network(self) -> bool:
        """True when the profile's own stack makes or names the network."""
        return self.profile.network is not None

    @property
    def owns_lustre(self) -> bool:
        """True when the profile itself states a file system."""
        return bool(self.placed_lustre)

    @property
    def owns_home(self) -> bool:
        """True when the profile itself states home directories."""
        return self.home is not None and stated_home(self.profile) is not None

    @property
    def owns_express(self) -> bool:
        """True when the profile's own stack makes the directory bucket."""
        return self.express is not None and plan_express(self.profile) is not None

    @property
    def publishes(self) -> bool:
        """True for a data profile: a network or storage that other profiles attach to."""
        return self.owns_network and self.profile.compute is None and self.attachment is not None


def design(
    profile: Profile,
    data_profile: Profile | None = None,
    user_script: UserScript | None = None,
    chart_folder: ChartFolder | None = None,
    people_file: PeopleFile | None = None,
) -> Design:
    """Everything that follows from a profile and, for a cluster on another profile's data, from that one.

    `user_script` is the text of the script that the profile names, if it names one; `chart_folder` what is in
    the folder of charts that it names, `people_file` who is in the file of people that it names.
    Pure and total: parts that cannot be designed are None, and a rule says why.
    """
    network_home = profile if profile.network or data_profile is None else data_profile
    network = plan_network(network_home)
    own, theirs = plan_file_systems(profile), plan_file_systems(data_profile)
    # under the same name the cluster's own takes the place of the data profile's
    file_systems = tuple({system.name: system for system in (*theirs, *own)}.values())
    file_systems = tuple(sorted(file_systems, key=lambda system: (system.name != MAIN, system.name)))
    home = plan_home(profile if stated_home(profile) else data_profile, network)
    express = plan_express(profile) or plan_express(data_profile)
    groups = plan_groups(profile)
    attached = profile if data_profile is None else data_profile
    published = own if data_profile is None else theirs
    published_home = plan_home(attached, network)
    attachment = plan_attachment(attached.name, network, published, published_home) if network else None
    storage = node_storage(
        profile, file_systems, own, home, owns_home=bool(stated_home(profile)), attachment=attachment
    )
    gds = any(system.gpudirect for system in file_systems)
    images = plan_images(profile)
    pulled = plan_pulled(images, plan_images(data_profile))
    hyperpod = plan_hyperpod_slurm(profile, network, groups, storage, gds=gds, user_script=user_script)
    pcs = plan_pcs(profile, data_profile, network, groups, storage, gds=gds)
    if pulled is not None:
        hyperpod, pcs = _pulling(hyperpod), _pulling(pcs)
    mountpoints = plan_mountpoints(profile, express)
    eks, hyperpod_eks = _plan_kubernetes(
        profile, data_profile, network, groups, storage, mountpoints=mountpoints, express=express, gds=gds,
        people=everybody(profile.access, people_file),
    )  # fmt: skip
    return Design(
        profile=profile,
        data_profile=data_profile,
        network=network,
        groups=groups,
        file_systems=file_systems,
        own_file_systems=own,
        home=home,
        express=express,
        mountpoints=mountpoints,
        addresses=_addresses(profile, network, groups, file_systems, home, hyperpod),
        hyperpod=hyperpod,
        hyperpod_eks=hyperpod_eks,
        pcs=pcs,
        eks=eks,
        attachment=attachment,
        images=images,
        pulled=pulled,
        user_script=user_script,
        chart_folder=chart_folder,
        people_file=people_file,
    )


def _pulling(plan: SlurmPlan | None) -> SlurmPlan | None:
    """A cluster with Slurm whose nodes sign in to the account's registry, where they run scripts of ours."""
    if plan is None or plan.scripts is None:
        return plan
    return replace(plan, scripts=with_registry(plan.scripts))


def _plan_kubernetes(
    profile: Profile,
    data_profile: Profile | None,
    network: NetworkPlan | None,
    groups: tuple[GroupPlan, ...],
    storage: NodeStorage,
    *,
    mountpoints: tuple[MountpointPlan, ...],
    express: ExpressPlan | None,
    gds: bool,
    people: Everybody,
) -> tuple[EksPlan | None, HyperPodEksPlan | None]:
    """The plans of a Kubernetes control plane; a profile of another loads none of what makes them."""
    if not isinstance(profile.orchestrator, Kubernetes):
        return None, None
    from config.design.kubernetes.hyperpod import plan_hyperpod_eks
    from config.design.kubernetes.plan import plan_eks

    eks = plan_eks(
        profile, data_profile, network, groups, storage, mountpoints=mountpoints, express=express, gds=gds,
        people=people,
    )  # fmt: skip
    return eks, plan_hyperpod_eks(profile, network, groups, storage, eks, gds=gds)


def _addresses(
    profile: Profile,
    network: NetworkPlan | None,
    groups: tuple[GroupPlan, ...],
    file_systems: tuple[LustrePlan, ...],
    home: HomePlan | None,
    hyperpod: HyperPodSlurmPlan | None,
) -> AddressBudget:
    if network is None:
        return AddressBudget(uses=())
    kind = profile.orchestrator.kind if profile.orchestrator else None
    accounting = hyperpod.accounting if hyperpod else None
    return plan_addresses(network, groups, file_systems, home, kind, accounting)
