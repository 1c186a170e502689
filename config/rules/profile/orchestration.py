"""Rules for groups and settings that a control plane supports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from config.catalog import ControlPlane, catalog
from config.design.capacity.groups import NODES_FOR_CONNECTIVITY
from config.design.model import Design
from config.design.nodes.clients import KUBERNETES
from config.design.slurm.hyperpod import RESERVED_PARTITIONS, controller_fault, login_fault
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
    "ORC002", ERROR, "groups have roles that the control plane supports",
    why="HyperPod with Slurm requires one controller group and at most one login group (API-driven configuration). With the other "
    "control planes, AWS runs the controller, so a controller group would cost money without any use.",
    source="docs/reference/combinations.md", reads="compute orchestrator",
)  # fmt: skip
def roles_are_those_of_the_control_plane(design: Design) -> Iterator[Finding]:
    """Check the number of groups of each role."""
    plane, compute = design.control_plane, design.profile.compute
    if compute is None or plane is None:
        return
    at = ("compute", "groups")
    roles = [group.role for group in compute.groups]
    if plane.name == "hyperpod-slurm":
        yield from _slurm_roles(design, roles)
    if "compute" not in roles:
        yield Finding(
            at=at,
            message="the profile does not have a compute group",
            hint="add a group with `role: compute`",
        )
    for place, group in design.placed_groups:
        if group.role not in plane.roles:
            others = " or ".join(f"`role: {role}`" for role in plane.roles if role != "controller")
            yield Finding(
                at=(*place, "role"),
                message=f"{plane.name} does not support {group.role} nodes",
                hint=f"remove the group, or set {others}; if the group is from `extends`, set `compute: {{groups: [...]}}`, which "
                "replaces all groups of the base profile",
            )


def _slurm_roles(design: Design, roles: Sequence[str]) -> Iterator[Finding]:
    at = ("compute", "groups")
    if message := controller_fault(roles.count("controller")):
        yield Finding(
            at=at,
            message=message,
            hint="declare one group with `role: controller` and `count: 1`",
        )
    if message := login_fault(roles.count("login")):
        yield Finding(
            at=at,
            message=message,
            hint="keep one group with `role: login` and increase its `count`",
        )
    for place, group in design.placed_groups:
        if group.role == "controller" and group.count != 1:
            yield Finding(
                at=(*place, "count"),
                message=f"the controller group has {group.count} nodes, but HyperPod supports only 1",
                hint="set `count: 1`",
            )


@rule(
    "ORC003", ERROR, "the control plane supports each setting of a group",
    why="A setting that the control plane does not support has no effect. For example, HyperPod does not use launch templates, "
    "EKS does not have Slurm partitions, and only HyperPod has deep health checks.",
    source="docs/reference/profiles.md", reads="compute orchestrator",
)  # fmt: skip
def settings_are_honoured(design: Design) -> Iterator[Finding]:
    """Report keys of a group that its control plane does not support."""
    plane = design.control_plane
    if plane is None:
        return
    for at, group in design.placed_groups:
        if not plane.launch_template and group.model_fields_set <= _ANYWHERE:
            continue
        for key, reason in _unheard(group, plane):
            yield Finding(at=(*at, key), message=reason, hint=f"remove `{key}`")


_ANYWHERE = frozenset(("name", "role", "instance_type", "count", "capacity", "zone", "deep_health_checks"))
"""Keys of a group that every control plane supports."""


_OF_HYPERPOD = (
    "fallback_instance_types", "min_count", "volume_key_arn", "root_volume_key_arn", "scheduled_update", "auto_patch",
)  # fmt: skip
"""Keys of a group that are settings of HyperPod instance groups."""


def _unheard(group: Group, plane: ControlPlane) -> Iterator[tuple[str, str]]:
    kind = plane.name
    if group.efa is not None and not plane.launch_template:
        effect = f"`efa.layout: {group.efa.layout}` has no effect"
        yield "efa", f"{kind} chooses the interfaces of a node itself, so {effect}"
    if group.placement_group is not None and not plane.launch_template:
        yield "placement_group", f"{kind} places the nodes itself and does not support placement groups"
    if group.partition is not None and group.role != "compute":
        yield "partition", f"a {group.role} group does not have a partition; only compute groups have one"
    elif group.partition is not None and kind in KUBERNETES:
        yield "partition", f"{kind} does not have Slurm partitions"
    if group.deep_health_checks is not None and plane.launch_template:
        yield "deep_health_checks", f"only HyperPod has deep health checks, not {kind}"
    if "volume_gib" in group.model_fields_set and plane.launch_template:
        yield "volume_gib", f"only HyperPod has a volume at /opt/sagemaker, not {kind}"
    for key in sorted(group.model_fields_set & _IMAGE_KEYS.keys() if not plane.launch_template else ()):
        yield key, f"`{key}` has no effect: {kind} {_IMAGE_KEYS[key]} itself"
    yield from _unheard_outside_kubernetes(group, kind)
    for key in sorted(group.model_fields_set & _PCS_KEYS.keys() if kind != "pcs" else ()):
        yield key, f"{_PCS_KEYS[key]}, not groups of {kind}"
    if plane.launch_template:
        yield from (
            (key, f"only HyperPod has `{key}`, not {kind}") for key in _OF_HYPERPOD if getattr(group, key)
        )


def _unheard_outside_kubernetes(group: Group, kind: str) -> Iterator[tuple[str, str]]:
    for key in sorted(group.model_fields_set & _NODE_KEYS.keys() if kind not in KUBERNETES else ()):
        yield key, f"{_NODE_KEYS[key]}, not {kind}"
    if group.image_release is not None and kind != "hyperpod-eks":
        yield "image_release", f"only HyperPod with EKS has image releases, not {kind}"


_IMAGE_KEYS = {
    "root_device": "sets the root device",
    "root_volume_gib": "sets the size of the root volume",
}
"""Keys that need a launch template. Each value states how a service without launch templates sets the
property."""

_NODE_KEYS = {"labels": "only Kubernetes has node labels", "taints": "only Kubernetes has node taints"}
"""Keys that only Kubernetes nodes have; each value is the start of the message."""

_PCS_KEYS = {
    "idle_seconds": "only PCS groups have an idle time",
    "scaling": "only PCS groups scale with their jobs",
    "slurm_settings": "only PCS groups have Slurm settings",
}
"""Keys that only PCS groups have, each with the reason that its diagnostic states."""


@rule(
    "ORC004", ERROR, "group names are unique",
    why="HyperPod and the logical IDs of the template identify a group by its name.",
    source=_API, reads="compute",
)  # fmt: skip
def group_names_differ(design: Design) -> Iterator[Finding]:
    """Report duplicate group names."""
    if design.profile.compute is None:
        return
    seen: set[str] = set()
    for i, group in enumerate(design.profile.compute.groups):
        name = group.name
        if name in seen:
            yield Finding(
                at=("compute", "groups", i, "name"),
                message=f"two groups are named {name}",
                hint="set another `name` for one of the groups",
            )
        seen.add(name)


@rule(
    "ORC005", ERROR, "deep health checks are possible in the group",
    why="The checks stress GPUs and the network between nodes. HyperPod rejects them for CPU types, and the connectivity "
    "check needs two nodes.",
    source=_HEALTH, reads="compute orchestrator", where="hyperpod-slurm hyperpod-eks",
)  # fmt: skip
def deep_health_checks_can_run(design: Design) -> Iterator[Finding]:
    """Compare the deep health checks with the instance type and the number of nodes."""
    for at, group in _hyperpod_groups(design):
        checks = group.deep_health_checks
        if not checks:
            continue
        instance = catalog().instance(group.instance_type)
        here = (*at, "deep_health_checks")
        if instance and not instance.is_gpu:
            yield Finding(
                at=here,
                message=f"{group.instance_type} does not have GPUs",
                hint="remove `deep_health_checks`",
            )
        elif "instance-connectivity" in checks and group.count < NODES_FOR_CONNECTIVITY:
            yield Finding(
                at=here,
                message=f"the check instance-connectivity needs {NODES_FOR_CONNECTIVITY} nodes, but the group has {group.count}",
                hint="write `deep_health_checks: [instance-stress]`",
            )
        for i, check in enumerate(checks):
            if check in checks[:i]:
                yield Finding(
                    at=(*here, i), message=f"the check {check} is listed twice", hint="remove one entry"
                )


@rule(
    "ORC007", ERROR, "`threads_per_core` is at most the number of threads per core of the instance type",
    why="For example, Grace has one thread per core, and AWS rejects 2.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html", reads="compute",
    where="threads_per_core",
)  # fmt: skip
def threads_fit_the_type(design: Design) -> Iterator[Finding]:
    """Compare `threads_per_core` with the catalogue."""
    if design.profile.compute is None:
        return
    for i, group in enumerate(design.profile.compute.groups):
        if group.threads_per_core is None:
            continue
        instance = catalog().instance(group.instance_type)
        if instance and group.threads_per_core > instance.threads_per_core:
            yield Finding(
                at=("compute", "groups", i, "threads_per_core"),
                message=f"{group.instance_type} has {instance.threads_per_core} thread per core, but the group sets "
                f"{group.threads_per_core}",
                hint=f"write `threads_per_core: {instance.threads_per_core}`, or remove `threads_per_core`",
            )


@rule(
    "ORC009", ERROR, "all Slurm nodes of a cluster in a Local Zone are in that zone",
    why="If the controller is in an Availability Zone and the workers are in the Local Zone, the creation of the cluster fails "
    "without a log (seen in us-west-2-phx-2a).",
    source="https://github.com/aravneelaws/hyperpod-local-zone-quickstart",
    reads="compute orchestrator network data availability_zone availability_zone_id", where="local-zone",
    ages="the support of HyperPod for Local Zones",
)  # fmt: skip
def local_zone_nodes_stand_together(design: Design) -> Iterator[Finding]:
    """Report groups that are not in the cluster's Local Zone."""
    zone = design.profile.zone
    if not zone or not is_local_zone(zone):
        return
    for at, group in _hyperpod_slurm_groups(design):
        if group.zone not in (None, zone):
            yield Finding(
                at=(*at, "zone"),
                message=f"group {group.name} is in {group.zone}, but the cluster is in the Local Zone {zone}",
                hint="remove `zone` from the group, and set `instance_type` to a type that the Local Zone offers",
            )


@rule(
    "ORC010", NOTE, "login nodes have the architecture of the compute nodes",
    why="Software that is compiled on an x86_64 login node does not run on arm64 compute nodes, and vice versa.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html", reads="compute orchestrator",
    where="login",
)  # fmt: skip
def login_has_the_architecture_of_the_nodes(design: Design) -> Iterator[Finding]:
    """Compare the architectures of login and compute groups."""
    if design.profile.orchestrator is None:
        return
    compute = {plan.instance_type.arch for plan in design.groups if plan.role == "compute"}
    for at, group, plan in design.planned_groups:
        if group.role == "login" and compute and plan.instance_type.arch not in compute:
            yield Finding(
                at=(*at, "instance_type"),
                message=f"login nodes are {plan.instance_type.arch}, but compute nodes are {', '.join(sorted(compute))}",
                hint="build software on a compute node, or in a container for the architecture of the compute nodes",
            )


@rule(
    "ORC011", ERROR, "partition names are not reserved",
    why="HyperPod puts every node into the partition `dev`. In slurm.conf, `DEFAULT` sets the default values of partitions.",
    source=_REFERENCE, reads="compute orchestrator", where="hyperpod-slurm",
)  # fmt: skip
def partition_names_are_free(design: Design) -> Iterator[Finding]:
    """Report partitions with a name that HyperPod or Slurm uses."""
    for at, group in _hyperpod_slurm_groups(design):
        partition = group.partition or group.name
        if group.role == "compute" and partition in RESERVED_PARTITIONS:
            yield Finding(
                at=(*at, "partition" if group.partition else "name"),
                message=f"the partition of group {group.name} has the name {partition}, which is reserved",
                hint="set another `partition`",
            )
