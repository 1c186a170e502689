"""Rules for EKS nodes: the system group, images, node repair, pods and quotas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from config.catalog import catalog
from config.design.capacity.purchase import purchase_of
from config.design.model import Design
from config.design.network.interfaces import most_pods
from config.diagnostics import Path
from config.profile.capacity.groups import Group
from config.profile.kubernetes.base import Kubernetes
from config.profile.kubernetes.eks import Eks
from config.rules.parts import either
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_GUIDE = "https://docs.aws.amazon.com/eks/latest/userguide"
_SYSTEM_TYPE = "m6i.xlarge"
_FAMILY_AT = ("orchestrator", "node_image", "family")


def _eks(design: Design) -> Eks | None:
    orchestrator = design.profile.orchestrator
    return orchestrator if isinstance(orchestrator, Eks) else None


def _eks_groups(design: Design) -> Sequence[tuple[Path, Group]]:
    return design.placed_groups if _eks(design) else ()


@rule(
    "EKS030", ERROR, "a Kubernetes cluster has a system group with nodes",
    why="GPU nodes have a taint, so only jobs run on GPU nodes. Without a system group, CoreDNS, controllers and schedulers "
    "cannot start.",
    source=f"{_GUIDE}/managing-coredns.html", reads="compute orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def system_has_nodes(design: Design) -> Iterator[Finding]:
    """Check that a group with `role: system` has nodes, and has no GPUs."""
    if not isinstance(design.profile.orchestrator, Kubernetes) or design.profile.compute is None:
        return
    system = [(at, group) for at, group in design.placed_groups if group.role == "system"]
    if not system:
        line = f"- {{name: system, role: system, instance_type: {_SYSTEM_TYPE}, count: 2}}"
        yield Finding(
            at=("compute", "groups"),
            message="no group has `role: system`, so CoreDNS and controllers have no node to run on",
            hint=f"add `{line}` to compute.groups",
        )
    elif not any(group.count for _, group in system):
        at, group = system[0]
        yield Finding(
            at=(*at, "count"),
            message=f"system group {group.name} has no nodes for CoreDNS and controllers",
            hint="set `count` to 2",
        )
    for at, group in system:
        instance = catalog().instance(group.instance_type)
        if instance is not None and instance.is_gpu:
            yield Finding(
                at=(*at, "instance_type"),
                message=f"{group.instance_type} has GPUs: its nodes have a taint, and system pods do not run on "
                "its nodes",
                hint=f"set `instance_type` to a type without GPUs, for example {_SYSTEM_TYPE}, or set `role: "
                "compute`",
            )


@rule(
    "EKS031", ERROR, "EKS has an image of the selected family for each instance type",
    why="EKS builds the images of a family only for some architectures and instance types. GB200, for example, requires Amazon Linux 2023 for arm64.",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html", reads="compute orchestrator", where="eks",
    ages="the images that EKS has for each instance type",
)  # fmt: skip
def image_supports_the_type(design: Design) -> Iterator[Finding]:
    """Compare `node_image.family` with the GPU instance types."""
    eks = _eks(design)
    if eks is None:
        return
    family = eks.node_image.family
    for _, group, plan in design.planned_groups:
        kinds = plan.instance_type.eks_ami_types
        if plan.instance_type.is_gpu and not any(kind.upper().startswith(family.upper()) for kind in kinds):
            yield Finding(
                at=_FAMILY_AT,
                message=f"EKS has no {family} image for {group.instance_type}, the instance type of group {group.name}",
                hint="set `family` to al2023" if family != "al2023" else "use another instance type",
            )


@rule(
    "EKS032", ERROR, "the release of the node image is for the image family and Kubernetes version of the cluster",
    why="A release of Amazon Linux 2023 starts with its Kubernetes version. EKS rejects a release of another version.",
    source="https://github.com/awslabs/amazon-eks-ami/releases", reads="orchestrator", where="eks",
)  # fmt: skip
def release_fits(design: Design) -> Iterator[Finding]:
    """Compare `node_image.release` of al2023 with `kubernetes_version`."""
    eks = _eks(design)
    release = eks.node_image.release if eks else None
    if eks is None or release is None or eks.node_image.family != "al2023":
        return
    if not release.startswith(f"{eks.kubernetes_version}."):
        known = catalog().eks.image_releases["al2023"].get(eks.kubernetes_version)
        yield Finding(
            at=("orchestrator", "node_image", "release"),
            message=f"release {release} is not for Kubernetes {eks.kubernetes_version}",
            hint=f"remove `release` to use the pinned release {known}"
            if known
            else f"set `release` to a release for {eks.kubernetes_version}",
        )


@rule(
    "EKS033", NOTE, "the node image is pinned to a release",
    why="Without a release, EKS selects the newest image at each update of a node group, and replaces all of its nodes.",
    source=f"{_GUIDE}/update-managed-node-group.html", reads="orchestrator", where="eks",
)  # fmt: skip
def image_is_pinned(design: Design) -> Iterator[Finding]:
    """Check that the profile or the catalogue has a release of the node image."""
    eks = _eks(design)
    if eks is None or eks.node_image.release is not None:
        return
    image = eks.node_image
    if eks.kubernetes_version not in catalog().eks.image_releases[image.family]:
        name = f"/aws/service/bottlerocket/aws-k8s-{eks.kubernetes_version}/x86_64/latest/image_version"
        yield Finding(
            at=("orchestrator", "node_image"),
            message=f"nodes use the newest {image.family} image, so any update can change it",
            hint=f"set `release`; `aws ssm get-parameter --region {design.profile.region} --name {name}` "
            "prints the current release",
        )


@rule(
    "EKS034", ERROR, "nodes that use Lustre over EFA can run scripts",
    why="A script configures Lustre for EFA before the first pod starts, and Bottlerocket does not run scripts.",
    source=f"{_GUIDE}/fsx-csi-tuning-efa.html", reads="orchestrator compute storage data", where="eks",
)  # fmt: skip
def lustre_over_efa_has_scripts(design: Design) -> Iterator[Finding]:
    """Report Bottlerocket with a file system that uses EFA."""
    eks = _eks(design)
    efa = [system.name for system in design.file_systems if system.efa]
    if eks is not None and eks.node_image.family == "bottlerocket" and efa:
        yield Finding(
            at=_FAMILY_AT,
            message=f"bottlerocket nodes cannot use EFA to the file system {either(efa)}, because they do not run the script that "
            "configures Lustre",
            hint="set `family` to al2023, or set `efa: false` for the file system",
        )


@rule(
    "EKS035", ERROR, "EKS groups use images that EKS builds",
    why="EKS does not add bootstrap data to the user data of a custom image. Nodes with a custom image need the cluster's service "
    "CIDR for name resolution, but CloudFormation does not return that CIDR.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html", reads="compute orchestrator", where="eks",
)  # fmt: skip
def image_is_from_eks(design: Design) -> Iterator[Finding]:
    """Check `ami_id` and `root_device` of each group."""
    for at, group in _eks_groups(design):
        if group.ami_id is not None:
            yield Finding(
                at=(*at, "ami_id"),
                message=f"group {group.name} uses an image of EKS, so `ami_id: {group.ami_id}` has no effect",
                hint="remove `ami_id`; orchestrator.node_image selects the family and the release",
            )
        if "root_device" in group.model_fields_set:
            yield Finding(
                at=(*at, "root_device"),
                message="eks uses the root device of the EKS image, so `root_device` has no effect",
                hint="remove `root_device`",
            )


@rule(
    "EKS036", ERROR, "each fault reason has at most one repair override",
    why="Two overrides for one reason contradict each other, and EKS rejects them.",
    source=f"{_GUIDE}/node-repair.html", reads="orchestrator", where="eks",
)  # fmt: skip
def reasons_are_repaired_once(design: Design) -> Iterator[Finding]:
    """Report duplicate reasons in `node_repair.overrides`."""
    eks = _eks(design)
    seen: set[tuple[str, str]] = set()
    for i, override in enumerate(eks.node_repair.overrides if eks else ()):
        if (override.condition, override.reason) in seen:
            yield Finding(
                at=("orchestrator", "node_repair", "overrides", i),
                message=f"the fault reason {override.reason} has two overrides",
                hint="remove one of the overrides",
            )
        seen.add((override.condition, override.reason))


@rule(
    "EKS037", NOTE, "the nodes of a Capacity Block are requested after the Capacity Block starts",
    why="EC2 does not launch instances in a Capacity Block before it starts. The node group waits, fails, and causes the first "
    "deployment to fail.",
    source=f"{_GUIDE}/capacity-blocks-mng.html", reads="compute orchestrator", where="eks",
)  # fmt: skip
def capacity_blocks_start_before_their_nodes(design: Design) -> Iterator[Finding]:
    """Report groups that request nodes in a Capacity Block."""
    eks = _eks(design)
    launched = {one.name for one in eks.karpenter.groups} if eks and eks.karpenter else set()
    for at, group in _eks_groups(design):
        if purchase_of(group.capacity).block and group.count:
            start = f" ({group.capacity.start})" if group.capacity.start else ""
            yield Finding(
                at=(*at, "count"),
                message=f"the {group.count} nodes of group {group.name} cannot launch before their Capacity Block starts{start}",
                # Karpenter does not raise a static pool that it created with 0 nodes
                hint="keep `count`: Karpenter tries again until the Capacity Block starts"
                if group.name in launched
                else "deploy after the Capacity Block starts; or deploy now with `count: 0`, and again with the full count after "
                "the Capacity Block starts",
            )


@rule(
    "EKS038", WARNING, "node groups are within EKS's quotas",
    why="EKS rejects larger or more node groups until AWS raises the quota of the account.",
    source=f"{_GUIDE}/service-quotas.html", reads="compute orchestrator", where="eks",
)  # fmt: skip
def groups_are_within_quotas(design: Design) -> Iterator[Finding]:
    """Compare the nodes of each group, and the number of groups, with the quotas."""
    facts, all_groups = catalog().eks, _eks_groups(design)
    for at, group in all_groups:
        if group.count > facts.max_nodes_in_group:
            yield Finding(
                at=(*at, "count"),
                message=f"group {group.name} has {group.count} nodes, but the EKS quota is {facts.max_nodes_in_group} nodes per "
                "node group",
                hint="split the group, or request a quota increase",
            )
    if len(all_groups) > facts.max_groups:
        yield Finding(
            at=("compute", "groups"),
            message=f"the cluster has {len(all_groups)} node groups, but the EKS quota is {facts.max_groups}",
            hint="merge groups of one instance type, or request a quota increase",
        )


@rule(
    "EKS011", ERROR, "`pods_per_node` is at most the number of pod IP addresses of each instance type",
    why="Above this number, the kubelet admits pods that never get an IP address. nodeadm does not count that an efa-only "
    "interface on card 0 uses a slot of the VPC CNI. Managed node groups also limit a node to 110 or 250 pods.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html", reads="compute orchestrator", where="eks",
)  # fmt: skip
def pods_have_addresses(design: Design) -> Iterator[Finding]:
    """Compare `pods_per_node` with the maximum of each group."""
    orchestrator = _eks(design)
    if orchestrator is None or orchestrator.pods_per_node is None:
        return
    limits = {
        plan.instance_type.name: most_pods(plan.instance_type, plan.layout)
        for plan in design.groups
        if plan.layout is not None
    }
    short = {name: most for name, most in limits.items() if most < orchestrator.pods_per_node}
    if short:
        maximums = ", ".join(f"{most} on {name}" for name, most in sorted(short.items()))
        yield Finding(
            at=("orchestrator", "pods_per_node"),
            message=f"`pods_per_node` is {orchestrator.pods_per_node}, but the maximum is {maximums}",
            hint=f"set `pods_per_node` to {min(short.values())} or less, or remove `pods_per_node`: each group then uses its own "
            "maximum",
        )
