"""Karpenter: which groups it launches, from what, and where it runs itself."""

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


def _stated(design: Design) -> Iterator[tuple[Path, KarpenterGroup]]:
    orchestrator = design.profile.orchestrator
    if isinstance(orchestrator, Eks) and orchestrator.karpenter is not None:
        for i, group in enumerate(orchestrator.karpenter.groups):
            yield (*_AT, "groups", i), group


def _planned(design: Design) -> Iterator[tuple[Path, KarpenterGroup, GroupPlan]]:
    plans = {plan.name: plan for plan in design.groups}
    for at, group in _stated(design):
        if group.name in plans:
            yield at, group, plans[group.name]


@rule(
    "KUB030", ERROR, "Karpenter launches compute groups of the profile, each once",
    why="It runs on system nodes itself, so those are never its own; a name that no group has would be ignored.",
    source=_POOLS, reads="compute orchestrator", where="karpenter",
)  # fmt: skip
def groups_are_compute_groups(design: Design) -> Iterator[Finding]:
    """The names under `karpenter`."""
    roles = {group.name: group.role for _, group in design.placed_groups}
    compute = [name for name, role in roles.items() if role == "compute"]
    seen: set[str] = set()
    for at, group in _stated(design):
        role = roles.get(group.name)
        if role is None:
            hint = f"name {either(compute)}" if compute else "take it out"
            yield Finding(at=(*at, "name"), message=f"there is no group {group.name}", hint=hint)
        elif role != "compute":
            message = f"{group.name} is a {role} group, Karpenter launches compute groups"
            yield Finding(at=(*at, "name"), message=message, hint="take it out")
        elif group.name in seen:
            yield Finding(at=(*at, "name"), message=f"{group.name} is listed twice", hint="take one out")
        seen.add(group.name)


@rule(
    "KUB031", ERROR, "Karpenter launches machines that it knows",
    why="Karpenter has no row for UltraServers, and AWS names node groups alone for them: a pool of them never has a node.",
    source=_ULTRASERVERS, reads="compute orchestrator", where="karpenter",
    ages="the machines that Karpenter launches",
)  # fmt: skip
def machines_are_known(design: Design) -> Iterator[Finding]:
    """Families of the groups' types."""
    refused = kubernetes_components().karpenter_refused_families
    for at, group, plan in _planned(design):
        if plan.instance_type.family in refused:
            yield Finding(
                at=(*at, "name"),
                message=f"Karpenter launches no {plan.instance_type.name} (group {group.name})",
                hint=f"take {group.name} out: it is a managed node group then",
            )


@rule(
    "KUB032", ERROR, "Karpenter finds reservations and placement groups by id and name",
    why="A node class selects reservations by id, and a placement group by the name of one that exists: with anything else "
    "offers are passed over without a word (aws/karpenter-provider-aws issue 9489).",
    source=_CLASSES, reads="compute orchestrator", where="karpenter",
    ages="what Karpenter's node classes select by",
)  # fmt: skip
def what_is_selected_has_a_name(design: Design) -> Iterator[Finding]:
    """Resource groups of reservations, and placement groups that the stack would make."""
    places = {group.name: at for at, group in design.placed_groups}
    for _, group, plan in _planned(design):
        if plan.capacity.resource_group_arn:
            yield Finding(
                at=(*places[group.name], "capacity", "resource_group_arn"),
                message="Karpenter selects a reservation by its id, not by a resource group",
                hint="write `reservation_id`",
            )
        if isinstance(plan.placement_group, NewPlacementGroup):
            yield Finding(
                at=(*places[group.name], "placement_group"),
                message="Karpenter selects a placement group that exists, by its name",
                hint="write `placement_group: {kind: existing, name: ...}`, or take it out",
            )


@rule(
    "KUB033", ERROR, "nodes whose GPUs are claimed are static under Karpenter",
    why="This version of Karpenter does not look at claims: for a pod with one it launches nothing.",
    source=_DEVICES, reads="compute orchestrator", where="karpenter",
    ages="whether Karpenter launches nodes for claims",
)  # fmt: skip
def claims_are_of_static_nodes(design: Design) -> Iterator[Finding]:
    """`nodes: as-needed` for groups with `dra`."""
    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, Eks):
        return
    for at, group, plan in _planned(design):
        if group.nodes == "as-needed" and by_dra(orchestrator, plan):
            yield Finding(
                at=(*at, "nodes"),
                message=f"pods of {group.name} ask for GPUs by claims, for which Karpenter launches no node",
                hint=f"write `nodes: static`, or `group_devices: {{{group.name}: plugins}}`",
            )


@rule(
    "KUB034", ERROR, "a setting of a group is one that Karpenter's machines can have",
    why="Karpenter's node classes have no threads of a core: the key would be ignored.",
    source=_CLASSES, reads="compute orchestrator", where="karpenter",
    ages="what Karpenter's node classes can say",
)  # fmt: skip
def settings_are_karpenters(design: Design) -> Iterator[Finding]:
    """`threads_per_core` that is not the type's own."""
    places = {group.name: at for at, group in design.placed_groups}
    for _, group, plan in _planned(design):
        threads = plan.threads_per_core
        if threads is not None and threads != plan.instance_type.threads_per_core:
            yield Finding(
                at=(*places[group.name], "threads_per_core"),
                message=f"Karpenter launches {plan.instance_type.name} with all threads of its cores, not with {threads}",
                hint=f"take `threads_per_core` out, or {group.name} out of `karpenter`",
            )


@rule(
    "KUB035", NOTE, "static node pools of Karpenter are an alpha feature",
    why="They are behind the feature gate StaticCapacity, which ultracluster turns on: their form may change with another "
    "version of Karpenter.",
    source="https://karpenter.sh/docs/reference/settings/#feature-gates",
    reads="orchestrator", where="karpenter",
    ages="the state of Karpenter's static node pools",
)  # fmt: skip
def static_pools_are_alpha(design: Design) -> Iterator[Finding]:
    """`nodes: static` of groups under Karpenter."""
    static = [group.name for _, group in _stated(design) if group.nodes == "static"]
    if static:
        yield Finding(
            at=_AT,
            message=f"{', '.join(static)}: node pools of a fixed size are alpha in Karpenter",
            hint="managed node groups keep a fixed size too",
        )


@rule(
    "KUB036", ERROR, "machines of Karpenter have a pinned image",
    why="Without a release Karpenter takes the newest image of the day, and replaces every node that has an older one.",
    source="https://karpenter.sh/docs/tasks/managing-amis/",
    reads="orchestrator", where="karpenter",
)  # fmt: skip
def images_are_pinned(design: Design) -> Iterator[Finding]:
    """The release of the image, stated or known."""
    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, Eks) or orchestrator.karpenter is None:
        return
    image = orchestrator.node_image
    known = catalog().eks.image_releases[image.family].get(orchestrator.kubernetes_version)
    if (image.release or known) is None:
        yield Finding(
            at=("orchestrator", "node_image"),
            message=f"Karpenter would take the newest image of {image.family}, whatever it is on the day",
            hint="write `release` beside `family`",
        )
