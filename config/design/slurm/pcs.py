"""Plan of an AWS PCS cluster: names, sizes, queues and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from config.catalog import catalog
from config.design.capacity.groups import GroupPlan
from config.design.names import fingerprint, replaceable_name
from config.design.network.plan import NetworkPlan
from config.design.nodes.scripts import NodeScriptsPlan
from config.design.nodes.storage import NodeStorage
from config.design.slurm.defaults import DEFAULT_QUEUE, settled, slurm_defaults
from config.profile.capacity.groups import Group
from config.profile.model import Profile
from config.profile.slurm.pcs import Pcs, Queue

_MARK = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class PcsGroupPlan:
    """A PCS compute node group, without its launch template.

    `name` is the name in PCS. A change of the instance type replaces the group, and the new group needs a
    different name. The name therefore contains a hash of the instance type. `image` is an image id, None if
    PCS's newest image is read from `image_parameter`. `min_count` is 0 for a dynamic group.
    """

    name: str
    group: GroupPlan
    min_count: int
    max_count: int
    idle_seconds: int | None
    image: str | None
    image_parameter: str
    root_device: str
    settings: Mapping[str, str] = field(hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePlan:
    """A PCS queue, and the names of the profile's groups that run its jobs."""

    name: str
    groups: tuple[str, ...]
    settings: Mapping[str, str] = field(hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PcsPlan:
    """A PCS cluster; `purge_days` applies only with accounting, and is None if records are not purged."""

    cluster_name: str
    size: str
    slurm_version: str
    idle_seconds: int
    accounting: bool
    purge_days: int | None
    rest_api: bool
    settings: Mapping[str, str] = field(hash=False)
    accounting_settings: Mapping[str, str] = field(hash=False)
    cgroup_settings: Mapping[str, str] = field(hash=False)
    groups: tuple[PcsGroupPlan, ...]
    queues: tuple[QueuePlan, ...]
    scripts: NodeScriptsPlan
    storage: NodeStorage


def plan_pcs(
    profile: Profile,
    data_profile: Profile | None,
    network: NetworkPlan | None,
    groups: tuple[GroupPlan, ...],
    storage: NodeStorage,
    scripts: NodeScriptsPlan | None,
    native_metrics: Mapping[str, str],
) -> PcsPlan | None:
    """Return the PCS cluster of a profile, None if it has another control plane or no network.

    `native_metrics` are the Slurm settings that turn on Slurm's own metrics; empty if these are not
    collected.
    """
    pcs = profile.orchestrator
    if not isinstance(pcs, Pcs) or network is None or scripts is None:
        return None
    size = size_of(pcs, nodes_of(profile))
    accounting = pcs.accounting
    return PcsPlan(
        cluster_name=replaceable_name(profile.name, _create_only(data_profile, network, size)),
        size=size,
        slurm_version=pcs.slurm_version,
        idle_seconds=pcs.idle_seconds,
        accounting=accounting is not None,
        purge_days=accounting.purge_days if accounting else None,
        rest_api=pcs.rest_api,
        settings=settled({**slurm_defaults(groups), **native_metrics}, pcs.settings),
        accounting_settings=settled({}, pcs.accounting_settings),
        cgroup_settings=settled({}, pcs.cgroup_settings),
        groups=tuple(_group(group, declared) for group, declared in _groups_with_keys(profile, groups)),
        queues=queues_of(profile, groups),
        scripts=scripts,
        storage=storage,
    )


def nodes_of(profile: Profile) -> int:
    """Return the maximum number of nodes; login nodes count, because AWS documents no exception for them."""
    return sum(group.count for group in profile.compute.groups) if profile.compute else 0


def size_of(pcs: Pcs, nodes: int) -> str:
    """Return the size in the profile, or the smallest size for the nodes."""
    return pcs.size or catalog().pcs.size_for(nodes).name


def queues_of(profile: Profile, groups: Sequence[GroupPlan]) -> tuple[QueuePlan, ...]:
    """Return the queues of the profile, or one for each partition of its compute groups, sorted by name."""
    pcs = profile.orchestrator
    if isinstance(pcs, Pcs) and pcs.queues is not None:
        default = default_queue(pcs.queues)
        declared = [
            QueuePlan(
                name=queue.name,
                groups=tuple(sorted(set(queue.groups))),
                settings=settled(DEFAULT_QUEUE if queue.name == default else {}, queue.settings),
            )
            for queue in pcs.queues
        ]
        return tuple(sorted(declared, key=lambda queue: queue.name))
    members: dict[str, list[str]] = {}
    for group in groups:
        if group.partition is not None:
            members.setdefault(group.partition, []).append(group.name)
    default = next(iter(members), None)
    return tuple(
        QueuePlan(name=name, groups=tuple(sorted(names)), settings=DEFAULT_QUEUE if name == default else {})
        for name, names in sorted(members.items())
    )


def default_queue(queues: Sequence[Queue]) -> str | None:
    """Return the default queue, the first one that has groups; None if the profile sets `Default`."""
    if any("Default" in queue.settings for queue in queues):
        return None
    return next((queue.name for queue in queues if queue.groups), None)


def group_name(name: str, instance_type: str) -> str:
    """Return the PCS name of a group: the shortened name and a hash of its create-only properties.

    The hash includes the whole name, so that two long names with the same start differ.
    """
    room = catalog().pcs.max_name_length - _MARK - 1
    return f"{name[:room].rstrip('-')}-{fingerprint([name, [instance_type]], _MARK)}"


def _create_only(data_profile: Profile | None, network: NetworkPlan, size: str) -> list[object]:
    """Return the properties whose change replaces the cluster: the subnet of the controller and the size."""
    primary = network.primary
    place = [network.existing_vpc_id, network.vpc_cidr, primary.cidr, primary.zone, primary.id]
    return [data_profile.name if data_profile else None, place, size]


def _groups_with_keys(profile: Profile, groups: Sequence[GroupPlan]) -> list[tuple[GroupPlan, Group]]:
    declared = {group.name: group for group in profile.compute.groups} if profile.compute else {}
    return [(group, declared[group.name]) for group in sorted(groups, key=lambda group: group.name)]


def _group(group: GroupPlan, declared: Group) -> PcsGroupPlan:
    return PcsGroupPlan(
        name=group_name(group.name, group.instance_type.name),
        group=group,
        min_count=0 if declared.scaling == "dynamic" else group.count,
        max_count=group.count,
        idle_seconds=declared.idle_seconds,
        image=declared.ami_id,
        image_parameter=catalog().pcs.image_parameter.format(arch=group.instance_type.arch),
        root_device=declared.root_device,
        settings=settled({}, declared.slurm_settings),
    )
