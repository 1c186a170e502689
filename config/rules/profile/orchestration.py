"""Groups and settings that a control plane accepts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from config.catalog import ControlPlane, catalog
from config.design.capacity.groups import NODES_FOR_CONNECTIVITY
from config.design.model import Design
from config.design.nodes.clients import KUBERNETES
from config.design.slurm.hyperpod import TAKEN_PARTITIONS, controller_fault, login_fault
from config.design.zones import is_local_zone
from config.diagnostics import Path
from config.profile.capacity.groups import Group
from config.profile.orchestrator import HyperPodEks, HyperPodSlurm
from config.rules.registry import ERROR, NOTE, Finding, rule

_REFERENCE = "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html"
_HEALTH = "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-resiliency-slurm.html"
_API = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterInstanceGroupSpecification.html"


def _is_hyperpod(design: Design) -> bool:
    return isinstance(design.profile.orchestrator, HyperPodSlurm | HyperPodEks)


def _hyperpod_groups(design: Design) -> Sequence[tuple[Path, Group]]:
    return design.placed_groups if _is_hyperpod(design) else ()


def _hyperpod_slurm_groups(design: Design) -> Sequence[tuple[Path, Group]]:
    return design.placed_groups if isinstance(design.profile.orchestrator, HyperPodSlurm) else ()


@rule(
    "ORC002", ERROR, "groups have the roles that the control plane asks for",
    why="HyperPod with Slurm takes one controller and at most one login group (API-driven configuration); elsewhere AWS runs "
    "the controller, and a group for it would only bill.",
    source="docs/reference/combinations.md", reads="compute orchestrator",
)  # fmt: skip
def roles_are_those_of_the_control_plane(design: Design) -> Iterator[Finding]:
    """The number of groups of each role."""
    plane, compute = design.control_plane, design.profile.compute
    if compute is None or plane is None:
        return
    at = ("compute", "groups")
    roles = [group.role for group in compute.groups]
    if plane.name == "hyperpod-slurm":
        yield from _slurm_roles(design, roles)
    if "compute" not in roles:
        yield Finding(at=at, message="no compute group", hint="add a group with `role: compute`")
    for place, group in design.placed_groups:
        if group.role not in plane.roles:
            others = " or ".join(f"`role: {role}`" for role in plane.roles if role != "controller")
            yield Finding(
                at=(*place, "role"),
                message=f"{plane.name} has no {group.role} nodes",
                hint=f"take the group out, or use {others}; where `extends` brings it along, state "
                "`compute: {groups: [...]}` of your own, which replaces all of its groups",
            )


def _slurm_roles(design: Design, roles: Sequence[str]) -> Iterator[Finding]:
    at = ("compute", "groups")
    if message := controller_fault(roles.count("controller")):
        yield Finding(
            at=at,
            message=message,
            hint="state one group with `role: controller` and `count: 1`",
        )
    if message := login_fault(roles.count("login")):
        yield Finding(
            at=at,
            message=message,
            hint="keep one group with `role: login` and raise its `count`",
        )
    for place, group in design.placed_groups:
        if group.role == "controller" and group.count != 1:
            yield Finding(
                at=(*place, "count"),
                message=f"the controller group has {group.count} nodes, HyperPod takes 1",
                hint="write `count: 1`",
            )


@rule(
    "ORC003", ERROR, "a setting is one that the control plane can honour",
    why="HyperPod has no launch template, EKS no Slurm partitions, and only HyperPod has deep health checks: the setting "
    "would be ignored.",
    source="docs/reference/profiles.md", reads="compute orchestrator",
)  # fmt: skip
def settings_are_honoured(design: Design) -> Iterator[Finding]:
    """Keys of a group that mean nothing under its control plane."""
    plane = design.control_plane
    if plane is None:
        return
    for at, group in design.placed_groups:
        if not plane.launch_template and group.model_fields_set <= _ANYWHERE:
            continue
        for key, reason in _unheard(group, plane):
            yield Finding(at=(*at, key), message=reason, hint=f"take `{key}` out")


_ANYWHERE = frozenset(("name", "role", "instance_type", "count", "capacity", "zone", "deep_health_checks"))
"""Keys of a group that mean something where the service itself lays out the nodes."""


_OF_HYPERPOD = (
    "fallback_instance_types", "min_count", "volume_key_arn", "root_volume_key_arn", "scheduled_update", "auto_patch",
)  # fmt: skip
"""Keys of a group that are settings of HyperPod's instance groups."""


def _unheard(group: Group, plane: ControlPlane) -> Iterator[tuple[str, str]]:
    kind = plane.name
    if group.efa is not None and not plane.launch_template:
        told = f"`efa.layout: {group.efa.layout}` cannot be honoured"
        yield "efa", f"{kind} chooses the interfaces of a node itself; {told}"
    if group.placement_group is not None and not plane.launch_template:
        yield "placement_group", f"{kind} places the nodes itself; a placement group cannot be honoured"
    if group.partition is not None and group.role != "compute":
        yield "partition", f"a {group.role} group has no partition; only compute groups have one"
    elif group.partition is not None and kind in KUBERNETES:
        yield "partition", f"{kind} has no Slurm partitions"
    if group.deep_health_checks is not None and plane.launch_template:
        yield "deep_health_checks", f"deep health checks are HyperPod's; {kind} has none"
    if "volume_gib" in group.model_fields_set and plane.launch_template:
        yield "volume_gib", f"the volume at /opt/sagemaker is HyperPod's; {kind} has none"
    for key in sorted(group.model_fields_set & _IMAGE_KEYS.keys() if not plane.launch_template else ()):
        yield key, f"{kind} {_IMAGE_KEYS[key]} itself"
    yield from _unheard_outside_kubernetes(group, kind)
    for key in sorted(group.model_fields_set & _PCS_KEYS.keys() if kind != "pcs" else ()):
        yield key, f"{_PCS_KEYS[key]}; {kind} has none"
    if plane.launch_template:
        yield from (
            (key, f"`{key}` is HyperPod's; {kind} has none") for key in _OF_HYPERPOD if getattr(group, key)
        )


def _unheard_outside_kubernetes(group: Group, kind: str) -> Iterator[tuple[str, str]]:
    for key in sorted(group.model_fields_set & _NODE_KEYS.keys() if kind not in KUBERNETES else ()):
        yield key, f"{_NODE_KEYS[key]}; {kind} has none"
    if group.image_release is not None and kind != "hyperpod-eks":
        yield "image_release", f"releases of images are those of HyperPod on EKS; {kind} has none"


_IMAGE_KEYS = {
    "root_device": "knows the root device of its image",
    "root_volume_gib": "sizes the root volume",
}
"""Keys of what a launch template says, and what a service without one does in their place."""

_NODE_KEYS = {"labels": "labels of nodes are Kubernetes'", "taints": "taints of nodes are Kubernetes'"}
"""Keys of what Kubernetes knows nodes by."""

_PCS_KEYS = {
    "idle_seconds": "idle times of a group are those of PCS",
    "scaling": "groups that grow with their jobs are those of PCS",
    "slurm_settings": "Slurm's settings of a group are those of PCS",
}
"""Keys that only PCS has, and what they are."""


@rule(
    "ORC004", ERROR, "groups have names of their own",
    why="HyperPod and the logical ids know a group by its name.",
    source=_API, reads="compute",
)  # fmt: skip
def group_names_differ(design: Design) -> Iterator[Finding]:
    """No name twice."""
    if design.profile.compute is None:
        return
    seen: set[str] = set()
    for i, group in enumerate(design.profile.compute.groups):
        name = group.name
        if name in seen:
            yield Finding(
                at=("compute", "groups", i, "name"),
                message=f"two groups are named {name}",
                hint="give this group another name",
            )
        seen.add(name)


@rule(
    "ORC005", ERROR, "deep health checks run where they can",
    why="The checks stress GPUs and the links between nodes: the service refuses them on CPU types, and connectivity needs two nodes.",
    source=_HEALTH, reads="compute orchestrator", where="hyperpod-slurm hyperpod-eks",
)  # fmt: skip
def deep_health_checks_can_run(design: Design) -> Iterator[Finding]:
    """Checks against the type and the number of nodes."""
    for at, group in _hyperpod_groups(design):
        checks = group.deep_health_checks
        if not checks:
            continue
        instance = catalog().instance(group.instance_type)
        here = (*at, "deep_health_checks")
        if instance and not instance.is_gpu:
            yield Finding(
                at=here,
                message=f"{group.instance_type} has no GPU to check",
                hint="take `deep_health_checks` out",
            )
        elif "instance-connectivity" in checks and group.count < NODES_FOR_CONNECTIVITY:
            yield Finding(
                at=here,
                message=f"instance-connectivity needs {NODES_FOR_CONNECTIVITY} nodes, the group has {group.count}",
                hint="write `deep_health_checks: [instance-stress]`",
            )
        for i, check in enumerate(checks):
            if check in checks[:i]:
                yield Finding(at=(*here, i), message=f"{check} is listed twice", hint="take one out")


@rule(
    "ORC007", ERROR, "a node shows no more threads per core than its type has",
    why="Grace has one thread per core; the service refuses 2.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html", reads="compute",
    where="threads_per_core",
)  # fmt: skip
def threads_fit_the_type(design: Design) -> Iterator[Finding]:
    """threads_per_core against the catalogue."""
    if design.profile.compute is None:
        return
    for i, group in enumerate(design.profile.compute.groups):
        if group.threads_per_core is None:
            continue
        instance = catalog().instance(group.instance_type)
        if instance and group.threads_per_core > instance.threads_per_core:
            yield Finding(
                at=("compute", "groups", i, "threads_per_core"),
                message=f"{group.instance_type} has {instance.threads_per_core} thread per core, not {group.threads_per_core}",
                hint=f"write {instance.threads_per_core}, or take it out",
            )


@rule(
    "ORC009", ERROR, "the Slurm nodes of a Local Zone stand in it together",
    why="A controller in a zone of the Region, with its workers in the Local Zone, failed at creation without a log "
    "and rolled the cluster back (seen in us-west-2-phx-2a).",
    source="https://github.com/aravneelaws/hyperpod-local-zone-quickstart",
    reads="compute orchestrator network data availability_zone availability_zone_id", where="local-zone",
    ages="what HyperPod can do in a Local Zone",
)  # fmt: skip
def local_zone_nodes_stand_together(design: Design) -> Iterator[Finding]:
    """No group of a Local Zone's cluster is in another zone."""
    zone = design.profile.zone
    if not zone or not is_local_zone(zone):
        return
    for at, group in _hyperpod_slurm_groups(design):
        if group.zone not in (None, zone):
            yield Finding(
                at=(*at, "zone"),
                message=f"group {group.name} is in {group.zone}, the cluster in the Local Zone {zone}",
                hint="take `zone` out, with an instance type that the Local Zone sells",
            )


@rule(
    "ORC010", NOTE, "software for the nodes is built on nodes of their architecture",
    why="What is compiled on an x86_64 login node does not run on arm64 nodes, and the other way round.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html", reads="compute orchestrator",
    where="login",
)  # fmt: skip
def login_has_the_architecture_of_the_nodes(design: Design) -> Iterator[Finding]:
    """Login and compute groups of one architecture."""
    if design.profile.orchestrator is None:
        return
    compute = {plan.instance_type.arch for plan in design.groups if plan.role == "compute"}
    for at, group, plan in design.planned_groups:
        if group.role == "login" and compute and plan.instance_type.arch not in compute:
            yield Finding(
                at=(*at, "instance_type"),
                message=f"the login node is {plan.instance_type.arch}, the compute nodes are {', '.join(sorted(compute))}",
                hint="build software on a compute node, or in a container of its architecture",
            )


@rule(
    "ORC011", ERROR, "a partition has a name of its own",
    why="Every HyperPod node is in the partition `dev` already, and DEFAULT sets defaults in slurm.conf.",
    source=_REFERENCE, reads="compute orchestrator", where="hyperpod-slurm",
)  # fmt: skip
def partition_names_are_free(design: Design) -> Iterator[Finding]:
    """No partition that HyperPod or Slurm has already."""
    for at, group in _hyperpod_slurm_groups(design):
        partition = group.partition or group.name
        if group.role == "compute" and partition in TAKEN_PARTITIONS:
            yield Finding(
                at=(*at, "partition" if group.partition else "name"),
                message=f"the partition of group {group.name} would be {partition}, which is taken",
                hint="give it another `partition`",
            )
