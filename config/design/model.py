"""The cluster design: everything that follows from a profile, decided once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from config.catalog import catalog
from config.design.addresses import AddressBudget, plan_addresses
from config.design.attachment import Attachment, plan_attachment
from config.design.compute import GroupPlan, plan_groups
from config.design.cost import Cost, plan_cost
from config.design.network import NetworkPlan, plan_network
from config.design.orchestration import HyperPodSlurmPlan, plan_hyperpod_slurm
from config.design.storage import LustrePlan, plan_lustre
from config.diagnostics import Path
from config.profile.compute import Group
from config.profile.model import Profile
from config.profile.orchestrator import AnyOrchestrator, HyperPodSlurm
from config.profile.storage import DataRepository

_SUMMED_TYPES = 4


@dataclass(frozen=True, kw_only=True)  # without slots: what rules walk again and again is kept
class Design:
    """A profile with all that follows from it.

    `network` and `lustre` are those that the cluster stands on, its own or the data profile's; a part is
    None when the profile has none or when a rule refuses it. `attachment` says where the ids are published
    (a data profile) or read (a cluster profile with `data`).
    """

    profile: Profile
    data_profile: Profile | None
    network: NetworkPlan | None
    groups: tuple[GroupPlan, ...]
    lustre: LustrePlan | None
    addresses: AddressBudget
    hyperpod: HyperPodSlurmPlan | None
    attachment: Attachment | None
    cost: Cost

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
                "lustre" if self.owns_lustre else "",
                "data" if self.data_profile else "",
            )
        )

    @cached_property
    def placed_groups(self) -> tuple[tuple[Path, Group], ...]:
        """Every group of the profile with its place in it."""
        stated = self.profile.compute.groups if self.profile.compute else ()
        return tuple((("compute", "groups", i), group) for i, group in enumerate(stated))

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
    def placed_repositories(self) -> tuple[tuple[Path, DataRepository], ...]:
        """The data repositories of the profile's own file system, each with its place."""
        lustre = self.profile.storage.lustre if self.profile.storage else None
        stated = lustre.data_repositories if lustre else ()
        return tuple((("storage", "lustre", "data_repositories", i), link) for i, link in enumerate(stated))

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
        """True when the profile's own stack makes the file system."""
        return bool(self.profile.storage and self.profile.storage.lustre)

    @property
    def publishes(self) -> bool:
        """True for a data profile: a network or storage that other profiles attach to."""
        return self.owns_network and self.profile.compute is None and self.attachment is not None


def design(profile: Profile, data_profile: Profile | None = None) -> Design:
    """Everything that follows from a profile and, for a cluster on another profile's data, from that one.

    Pure and total: parts that cannot be designed are None, and a rule says why.
    """
    network_home = profile if profile.network or data_profile is None else data_profile
    lustre_home = profile if profile.storage and profile.storage.lustre else data_profile or profile
    network = plan_network(network_home)
    stated = lustre_home.storage.lustre if lustre_home.storage else None
    lustre = plan_lustre(stated) if stated else None
    groups = plan_groups(profile)
    kind = profile.orchestrator.kind if profile.orchestrator else None
    addresses = plan_addresses(network, groups, lustre, kind) if network else AddressBudget(uses=())
    attached = profile if data_profile is None else data_profile
    theirs = attached.storage.lustre if attached.storage else None
    return Design(
        profile=profile,
        data_profile=data_profile,
        network=network,
        groups=groups,
        lustre=lustre,
        addresses=addresses,
        hyperpod=plan_hyperpod_slurm(profile, network, lustre),
        attachment=plan_attachment(attached.name, network, plan_lustre(theirs) if theirs else None)
        if network
        else None,
        cost=plan_cost(
            profile.region, groups, _billed(profile, network), hyperpod=_is_hyperpod(profile.orchestrator)
        ),
    )


def _is_hyperpod(orchestrator: AnyOrchestrator | None) -> bool:
    return orchestrator is None or orchestrator.kind.startswith("hyperpod")


def _billed(profile: Profile, network: NetworkPlan | None) -> tuple[str, ...]:
    """What is billed beside the machines."""
    items: list[str] = []
    if profile.orchestrator and not isinstance(profile.orchestrator, HyperPodSlurm):
        plane = catalog().control_planes[profile.orchestrator.kind]
        items.append(f"{plane.title} control plane")
    if profile.storage and profile.storage.lustre:
        items += ["FSx for Lustre", "S3 buckets"]
    if profile.network and network and network.nat_subnet:
        items.append("NAT gateway")
    if profile.network and network and network.interface_endpoints:
        items.append("interface endpoints")
    if profile.observability and profile.observability.prometheus:
        items.append("Amazon Managed Service for Prometheus")
    if profile.observability and profile.observability.grafana:
        items.append("Amazon Managed Grafana")
    return tuple(items)
