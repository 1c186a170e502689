"""Build the design of a cluster from the results of all planners."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from config.design.access.people import cluster_users
from config.design.capacity.calendar import calendar_of
from config.design.capacity.groups import GroupPlan, plan_groups
from config.design.collector import collector_of
from config.design.model import Design
from config.design.network.addresses import AddressBudget, AddressUse, plan_addresses
from config.design.network.attachment import plan_attachment
from config.design.network.plan import NetworkPlan, plan_network
from config.design.nodes.clients import KUBERNETES
from config.design.nodes.collection import SlurmCollection
from config.design.nodes.containers import plan_images, plan_pulled
from config.design.nodes.scripts import NodeScriptsPlan, with_registry
from config.design.nodes.storage import NodeStorage, node_storage, scripts_of, scripts_run
from config.design.slurm.hyperpod import HyperPodSlurmPlan, plan_hyperpod_slurm
from config.design.slurm.pcs import plan_pcs
from config.design.storage.home import HomePlan, declared_home, plan_home
from config.design.storage.lustre import MAIN, LustrePlan, plan_file_systems
from config.design.storage.object_storage import plan_express, plan_mountpoints
from config.design.workload.checkpoint_plan import CheckpointPlan, plan_checkpoints
from config.profile.model import Profile
from config.profile.slurm.pcs import Pcs
from config.profile.source.chart_folder import ChartFolder
from config.profile.source.people_file import PeopleFile
from config.profile.source.user_script import UserScript

if TYPE_CHECKING:
    from config.design.kubernetes.model import Part
    from config.design.observability.plan import ObservabilityPlan


def design(
    profile: Profile,
    data_profile: Profile | None = None,
    user_script: UserScript | None = None,
    chart_folder: ChartFolder | None = None,
    people_file: PeopleFile | None = None,
) -> Design:
    """Return the design of a profile, or of a cluster's profile and its data profile together.

    `user_script`, `chart_folder` and `people_file` are the contents of the files that the profile names. Each
    is None if the profile does not name the file. The function is pure and does not raise errors. Parts that
    cannot be designed are None, and a rule reports the reason.
    """
    network = plan_network(profile if profile.network or data_profile is None else data_profile)
    own, theirs = plan_file_systems(profile), plan_file_systems(data_profile)
    # a file system of the cluster replaces one of the data profile with the same name
    file_systems = tuple({system.name: system for system in (*theirs, *own)}.values())
    file_systems = tuple(sorted(file_systems, key=lambda system: (system.name != MAIN, system.name)))
    home = _home(profile if declared_home(profile) else data_profile, network)
    own_express = plan_express(profile)
    express = own_express or plan_express(data_profile)
    groups = plan_groups(profile)
    attached = profile if data_profile is None else data_profile
    published = own if data_profile is None else theirs
    attachment = (
        plan_attachment(attached.name, network, published, _home(attached, network)) if network else None
    )
    storage = node_storage(
        profile, file_systems, own, home, owns_home=bool(declared_home(profile)), attachment=attachment
    )
    images = plan_images(profile)
    pulled = plan_pulled(images, plan_images(data_profile))
    mountpoints = plan_mountpoints(profile, express)
    kind = profile.orchestrator.kind if profile.orchestrator else None
    checkpoints = plan_checkpoints(profile.workload, file_systems, groups, kind)
    users = cluster_users(profile.access, people_file)
    scripts = None
    if network is not None and scripts_run(profile):
        gds = any(system.gpudirect for system in file_systems)
        scripts = _scripts(profile, groups, storage, user_script, gds=gds, pulled=pulled is not None)
    hyperpod = plan_hyperpod_slurm(profile, network, storage, scripts)
    eks = hyperpod_eks = None
    if kind in KUBERNETES:
        # imported only for Kubernetes
        from config.design.kubernetes.hyperpod import plan_hyperpod_eks
        from config.design.kubernetes.plan import plan_eks

        eks = plan_eks(
            profile, data_profile, network, groups, storage, scripts, mountpoints=mountpoints,
            express=express, users=users, collection=_collection_part(profile, groups, storage),
        )  # fmt: skip
        hyperpod_eks = plan_hyperpod_eks(profile, network, groups, storage, eks, scripts)
    return Design(
        profile=profile,
        data_profile=data_profile,
        network=network,
        groups=groups,
        file_systems=file_systems,
        own_file_systems=own,
        home=home,
        express=express,
        owns_express=own_express is not None,
        mountpoints=mountpoints,
        addresses=_addresses(profile, network, groups, file_systems, home, hyperpod),
        hyperpod=hyperpod,
        hyperpod_eks=hyperpod_eks,
        pcs=plan_pcs(
            profile, data_profile, network, groups, storage, scripts, _native_metrics(profile, groups)
        ),
        eks=eks,
        attachment=attachment,
        users=users,
        checkpoints=checkpoints,
        calendar=calendar_of(profile, groups, checkpoints.write_s if checkpoints else 0),
        plan_observability=partial(_observability, profile, groups, file_systems, checkpoints),
        images=images,
        pulled=pulled,
        user_script=user_script,
        chart_folder=chart_folder,
        people_file=people_file,
    )


def _home(profile: Profile | None, network: NetworkPlan | None) -> HomePlan | None:
    return plan_home(profile, network.home_subnet) if network else None


def _scripts(
    profile: Profile,
    groups: tuple[GroupPlan, ...],
    storage: NodeStorage,
    user_script: UserScript | None,
    *,
    gds: bool,
    pulled: bool,
) -> NodeScriptsPlan:
    """Return the node scripts. Slurm nodes sign in to the account's registry if they pull images from it."""
    each_type = tuple(variant for group in groups for variant in group.as_each_type)
    collection = _collection(profile, each_type, storage)
    scripts = scripts_of(profile, each_type, storage, gds, collection, user_script)
    assert profile.orchestrator is not None
    return with_registry(scripts) if pulled and profile.orchestrator.kind not in KUBERNETES else scripts


# the metric tables are read only to collect or plan metrics, so that validation is fast


def _collection(
    profile: Profile, groups: tuple[GroupPlan, ...], storage: NodeStorage
) -> SlurmCollection | None:
    if collector_of(profile) == "none":
        return None
    from config.design.observability.collection.slurm_inputs import collection_of

    return collection_of(profile, groups, storage.file_systems)


def _native_metrics(profile: Profile, groups: tuple[GroupPlan, ...]) -> Mapping[str, str]:
    if profile.observability is None or not isinstance(profile.orchestrator, Pcs):
        return {}
    from config.design.observability.collection.slurm import native_settings

    return native_settings(profile, groups)


def _collection_part(profile: Profile, groups: tuple[GroupPlan, ...], storage: NodeStorage) -> Part | None:
    if profile.observability is None or profile.observability.prometheus is None:
        return None
    from config.design.observability.collection.kubernetes import collection_part

    return collection_part(profile, groups, [system.name for system in storage.file_systems])


def _observability(
    profile: Profile,
    groups: tuple[GroupPlan, ...],
    file_systems: tuple[LustrePlan, ...],
    checkpoints: CheckpointPlan | None,
) -> ObservabilityPlan | None:
    from config.design.observability.plan import plan_observability

    return plan_observability(profile, groups, file_systems, checkpoints)


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
    nodes = (
        AddressUse(
            subnet=group.subnet,
            consumer=f"nodes of {group.name}",
            count=group.count,
            each=group.addresses_per_node,
        )
        for group in groups
    )
    kind = profile.orchestrator.kind if profile.orchestrator else None
    accounting = hyperpod.accounting if hyperpod else None
    return plan_addresses(network, nodes, file_systems, home, kind, accounting.subnets if accounting else ())
