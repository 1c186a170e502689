"""Script bundle of nodes, and their shared file systems, whose ids are in SSM parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from config.catalog import catalog
from config.design.capacity.groups import GroupPlan
from config.design.capacity.holds import settings_of
from config.design.capacity.spares import spares_of
from config.design.network.attachment import HOME_DNS, Attachment, parameter_of
from config.design.nodes.clients import SharedHome, SharedLustre, gds_types_of
from config.design.nodes.collection import SlurmCollection
from config.design.nodes.people import plan_node_people
from config.design.nodes.repair.policy import policy_of
from config.design.nodes.scripts import NodeScriptsPlan, plan_node_scripts, with_people, with_user_script
from config.design.storage.home import HomePlan
from config.design.storage.lustre import LustrePlan
from config.profile.model import Profile
from config.profile.orchestrator import Eks, HyperPodEks, HyperPodSlurm
from config.profile.slurm.hyperpod import Extended
from config.profile.slurm.pcs import Pcs
from config.profile.source.user_script import UserScript


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStorage:
    """Shared file systems of a cluster's nodes.

    File systems of the cluster's own stack use its SSM parameters; attached file systems use those of the
    data profile.
    """

    file_systems: tuple[SharedLustre, ...]
    home: SharedHome | None


def node_storage(
    profile: Profile,
    file_systems: Sequence[LustrePlan],
    own: Sequence[LustrePlan],
    home: HomePlan | None,
    *,
    owns_home: bool,
    attachment: Attachment | None,
) -> NodeStorage:
    """Return the file systems that a cluster's nodes mount."""
    names = {system.name for system in own}
    return NodeStorage(
        file_systems=tuple(
            _lustre(system, _paths(profile, attachment, own=system.name in names)) for system in file_systems
        ),
        home=_home(home, _paths(profile, attachment, own=owns_home)) if home else None,
    )


def scripts_of(
    profile: Profile,
    groups: Sequence[GroupPlan],
    storage: NodeStorage,
    gds: bool,
    collection: SlurmCollection | None,
    user_script: UserScript | None = None,
) -> NodeScriptsPlan:
    """Return the script bundle of a cluster; `gds`: a file system uses GPUDirect Storage.

    `collection` is the metrics collection. `user_script` is the user's own script, which runs last.
    """
    assert profile.orchestrator is not None
    nvme = profile.storage.local_nvme if profile.storage else None
    bundle = plan_node_scripts(
        profile.orchestrator.kind,
        profile.region,
        groups,
        storage.file_systems,
        storage.home,
        local_nvme=nvme is not None,
        containers_on_nvme=nvme is not None and nvme.containers,
        repaired=isinstance(profile.orchestrator, HyperPodSlurm)
        and profile.orchestrator.node_recovery == "automatic",
        policy=policy_of(profile),
        # GPUDirect Storage in the profile opts in types on which the sources disagree
        gds_types=gds_types_of(groups, catalog().lustre.gpudirect_disputed_types) if gds else (),
        collection=collection,
        spares=spares_of(profile, groups) if profile.orchestrator.kind in ("hyperpod-slurm", "pcs") else None,
        calendar=settings_of(profile, groups),
    )
    people = plan_node_people(profile, storage.home, storage.file_systems)
    if people is not None:
        bundle = with_people(bundle, people)
    return with_user_script(bundle, user_script.text) if user_script and not user_script.fault else bundle


def scripts_run(profile: Profile) -> bool:
    """Return whether nodes run ultracluster's scripts; user scripts replace them, Bottlerocket runs none."""
    plane = profile.orchestrator
    if isinstance(plane, HyperPodSlurm):
        return isinstance(plane.lifecycle, Extended)
    if isinstance(plane, HyperPodEks):
        return plane.lifecycle is None
    return isinstance(plane, Pcs) or (isinstance(plane, Eks) and plane.node_image.family == "al2023")


def _paths(profile: Profile, attachment: Attachment | None, *, own: bool) -> Callable[[str], str]:
    """Return the function that names a file system's SSM parameters, in this stack or the data profile."""
    if own or attachment is None:
        return f"/ultracluster/{profile.name}/nodes/{{}}".format
    return attachment.path


def _lustre(system: LustrePlan, path: Callable[[str], str]) -> SharedLustre:
    return SharedLustre(
        name=system.name,
        version=system.version,
        efa=system.efa,
        mount_path=system.mount_path,
        capacity_gib=system.capacity_gib,
        striped=system.striped_paths,
        dns_name_parameter=path(parameter_of(system, "dns-name")),
        mount_name_parameter=path(parameter_of(system, "mount-name")),
    )


def _home(home: HomePlan, path: Callable[[str], str]) -> SharedHome:
    return SharedHome(
        mount_path=home.mount_path,
        capacity_gib=home.capacity_gib,
        dns_name_parameter=path(HOME_DNS),
        options=home.mount_options,
    )
