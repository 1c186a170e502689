"""Rules for groups that Karpenter launches, for settings that it supports, and for its node image."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.catalog.kubernetes.components import kubernetes_components
from config.design.capacity.groups import GroupPlan
from config.design.kubernetes.devices import by_dra
from config.design.model import Design
from config.diagnostics import Path
from config.profile.capacity.groups import NewPlacementGroup
from config.profile.kubernetes.karpenter import KarpenterGroup
from config.profile.orchestrator import Eks
from config.rules.parts import either
from config.rules.registry import ERROR, NOTE, Finding, rule

_POOLS = "https://karpenter.sh/docs/concepts/nodepools/"
_CLASSES = "https://karpenter.sh/docs/concepts/nodeclasses/"
_ULTRASERVERS = "https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html"
_DEVICES = "https://docs.aws.amazon.com/eks/latest/userguide/device-management-nvidia-dra-device-plugin.html"
_AT = ("orchestrator", "karpenter")


def _launched(design: Design) -> Iterator[tuple[Path, KarpenterGroup]]:
    orchestrator = design.profile.orchestrator
    if isinstance(orchestrator, Eks) and orchestrator.karpenter is not None:
        for i, group in enumerate(orchestrator.karpenter.groups):
            yield (*_AT, "groups", i), group


def _planned(design: Design) -> Iterator[tuple[Path, KarpenterGroup, GroupPlan]]:
    plans = {plan.name: plan for plan in design.groups}
    for at, group in _launched(design):
        if group.name in plans:
            yield at, group, plans[group.name]


@rule(
    "KUB030", ERROR, "`karpenter.groups` names each compute group at most once",
    why="Karpenter runs on the system nodes, so it cannot launch system groups. A name that is not the name of a group has no "
    "effect.",
    source=_POOLS, reads="compute orchestrator", where="karpenter",
)  # fmt: skip
def groups_are_compute_groups(design: Design) -> Iterator[Finding]:
    """Compare the names in `karpenter.groups` with the groups."""
    roles = {group.name: group.role for _, group in design.placed_groups}
    compute = [name for name, role in roles.items() if role == "compute"]
    seen: set[str] = set()
    for at, group in _launched(design):
        role = roles.get(group.name)
        if role is None:
            hint = f"set `name` to {either(compute)}" if compute else f"remove group {group.name}"
            yield Finding(at=(*at, "name"), message=f"the profile has no group `{group.name}`", hint=hint)
        elif role != "compute":
            message = (
                f"group {group.name} is a {role} group, but Karpenter launches only nodes of compute groups"
            )
            yield Finding(
                at=(*at, "name"), message=message, hint=f"remove group {group.name} from `karpenter.groups`"
            )
        elif group.name in seen:
            yield Finding(
                at=(*at, "name"), message=f"group {group.name} is listed twice", hint="remove one entry"
            )
        seen.add(group.name)


@rule(
    "KUB031", ERROR, "Karpenter supports the instance types of its groups",
    why="Karpenter does not support UltraServer instance types, and AWS documents only managed node groups for them. A node pool for these types never gets a node.",
    source=_ULTRASERVERS, reads="compute orchestrator", where="karpenter",
    ages="the instance types that Karpenter supports",
)  # fmt: skip
def karpenter_supports_the_types(design: Design) -> Iterator[Finding]:
    """Compare the families of the groups with those that Karpenter does not support."""
    refused = kubernetes_components().karpenter_refused_families
    for at, group, plan in _planned(design):
        if plan.instance_type.family in refused:
            yield Finding(
                at=(*at, "name"),
                message=f"Karpenter does not support {plan.instance_type.name}, the instance type of group {group.name}",
                hint=f"remove group {group.name} from `karpenter.groups`, so that it becomes a managed node group",
            )


@rule(
    "KUB032", ERROR, "Karpenter groups name a reservation by its id and a placement group that exists",
    why="A node class selects a reservation by id, and an existing placement group by name. Karpenter "
    "ignores offerings that it cannot select, without an error (aws/karpenter-provider-aws issue 9489).",
    source=_CLASSES, reads="compute orchestrator", where="karpenter",
    ages="the selectors of Karpenter's node classes",
)  # fmt: skip
def selectors_are_supported(design: Design) -> Iterator[Finding]:
    """Report resource groups of reservations, and placement groups that the stack would create."""
    places = {group.name: at for at, group in design.placed_groups}
    for _, group, plan in _planned(design):
        if plan.capacity.resource_group_arn:
            yield Finding(
                at=(*places[group.name], "capacity", "resource_group_arn"),
                message="Karpenter cannot select a reservation by a resource group, only by its id",
                hint="set `reservation_id` instead",
            )
        if isinstance(plan.placement_group, NewPlacementGroup):
            yield Finding(
                at=(*places[group.name], "placement_group"),
                message="Karpenter can use only a placement group that already exists, but this placement group would be created "
                "with the stack",
                hint="set `placement_group: {kind: existing, name: NAME}`, or remove `placement_group`",
            )


@rule(
    "KUB033", ERROR, "Karpenter groups that allocate GPUs by resource claims are static",
    why="This version of Karpenter does not consider resource claims, and does not launch a node for a pod that has one.",
    source=_DEVICES, reads="compute orchestrator", where="karpenter",
    ages="whether Karpenter launches nodes for resource claims",
)  # fmt: skip
def claims_are_of_static_nodes(design: Design) -> Iterator[Finding]:
    """Report `nodes: as-needed` in groups that use `dra`."""
    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, Eks):
        return
    for at, group, plan in _planned(design):
        if group.nodes == "as-needed" and by_dra(orchestrator, plan):
            yield Finding(
                at=(*at, "nodes"),
                message=f"pods of group {group.name} request GPUs by resource claims, but Karpenter does not launch nodes for such "
                "pods",
                hint=f"set `nodes: static`, or set `group_devices: {{{group.name}: plugins}}`",
            )


@rule(
    "KUB034", ERROR, "Karpenter supports the settings of its groups",
    why="Karpenter's node classes have no setting for threads per core, so the key would have no effect.",
    source=_CLASSES, reads="compute orchestrator", where="karpenter",
    ages="the settings of Karpenter's node classes",
)  # fmt: skip
def settings_are_karpenters(design: Design) -> Iterator[Finding]:
    """Report `threads_per_core` if it differs from the instance type's default."""
    places = {group.name: at for at, group in design.placed_groups}
    for _, group, plan in _planned(design):
        threads = plan.threads_per_core
        if threads is not None and threads != plan.instance_type.threads_per_core:
            yield Finding(
                at=(*places[group.name], "threads_per_core"),
                message=f"Karpenter launches {plan.instance_type.name} with all threads of each core, but the profile sets "
                f"`threads_per_core: {threads}`",
                hint=f"remove `threads_per_core`, or remove group {group.name} from `karpenter.groups`",
            )


@rule(
    "KUB035", NOTE, "static node pools are an alpha feature of Karpenter",
    why="ultracluster enables the feature gate StaticCapacity for static node pools. Their API can change "
    "with another version of Karpenter.",
    source="https://karpenter.sh/docs/reference/settings/#feature-gates",
    reads="orchestrator", where="karpenter",
    ages="the state of Karpenter's static node pools",
)  # fmt: skip
def static_pools_are_alpha(design: Design) -> Iterator[Finding]:
    """Report groups with `nodes: static`."""
    static = [group.name for _, group in _launched(design) if group.nodes == "static"]
    if static:
        yield Finding(
            at=_AT,
            message=f"`nodes: static` of group {', '.join(static)} uses static node pools, an alpha feature of Karpenter",
            hint="for a stable alternative, remove the group from `karpenter.groups`: managed node groups also have a fixed size",
        )


@rule(
    "KUB036", ERROR, "nodes that Karpenter launches have a pinned image",
    why="Without a release, Karpenter uses the newest image, and replaces all nodes that have an older image.",
    source="https://karpenter.sh/docs/tasks/managing-amis/",
    reads="orchestrator", where="karpenter",
)  # fmt: skip
def images_are_pinned(design: Design) -> Iterator[Finding]:
    """Check that the profile or the catalogue has a release of the image."""
    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, Eks) or orchestrator.karpenter is None:
        return
    image = orchestrator.node_image
    known = catalog().eks.image_releases[image.family].get(orchestrator.kubernetes_version)
    if (image.release or known) is None:
        yield Finding(
            at=("orchestrator", "node_image"),
            message=f"the node image has no release, so Karpenter replaces nodes whenever a newer {image.family} image appears",
            hint="set `node_image.release`",
        )
