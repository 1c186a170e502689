"""What Amazon EKS asks of the nodes of a profile: a group for the system, images, repair, quotas."""

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
    "EKS030", ERROR, "a Kubernetes cluster has nodes for what it runs itself",
    why="GPU nodes are tainted so that only jobs run there; names of services, controllers and schedulers would wait for "
    "ever.",
    source=f"{_GUIDE}/managing-coredns.html", reads="compute orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def system_has_nodes(design: Design) -> Iterator[Finding]:
    """A group with `role: system`, with nodes and without GPUs."""
    if not isinstance(design.profile.orchestrator, Kubernetes) or design.profile.compute is None:
        return
    system = [(at, group) for at, group in design.placed_groups if group.role == "system"]
    if not system:
        line = f"- {{name: system, role: system, instance_type: {_SYSTEM_TYPE}, count: 2}}"
        yield Finding(
            at=("compute", "groups"),
            message="no group has `role: system`: names of services and controllers have no node to run on",
            hint=f"add `{line}`",
        )
    elif not any(group.count for _, group in system):
        at, group = system[0]
        yield Finding(
            at=(*at, "count"),
            message=f"group {group.name} has no node for what the cluster itself runs",
            hint="write `count: 2`",
        )
    for at, group in system:
        instance = catalog().instance(group.instance_type)
        if instance is not None and instance.is_gpu:
            yield Finding(
                at=(*at, "instance_type"),
                message=f"{group.instance_type} has GPUs: its nodes are tainted, and nothing of the system runs there",
                hint=f"write a type without GPUs, such as {_SYSTEM_TYPE}, or `role: compute`",
            )


@rule(
    "EKS031", ERROR, "the image of the nodes exists for their types",
    why="EKS makes images of each family for some architectures and machines only: GB200 needs Amazon Linux 2023 for arm64.",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html", reads="compute orchestrator", where="eks",
    ages="which images EKS makes for which types",
)  # fmt: skip
def image_is_made_for_the_type(design: Design) -> Iterator[Finding]:
    """`node_image.family` against the GPU types."""
    eks = _eks(design)
    if eks is None:
        return
    family = eks.node_image.family
    for _, group, plan in design.planned_groups:
        kinds = plan.instance_type.eks_ami_types
        if plan.instance_type.is_gpu and not any(kind.upper().startswith(family.upper()) for kind in kinds):
            yield Finding(
                at=_FAMILY_AT,
                message=f"EKS has no {family} image for {group.instance_type} of group {group.name}",
                hint="write `family: al2023`" if family != "al2023" else "use another instance type",
            )


@rule(
    "EKS032", ERROR, "the release of the nodes' image is one of its family and Kubernetes version",
    why="Releases of Amazon Linux 2023 begin with the Kubernetes version that they are for: EKS refuses another one's.",
    source="https://github.com/awslabs/amazon-eks-ami/releases", reads="orchestrator", where="eks",
)  # fmt: skip
def release_fits(design: Design) -> Iterator[Finding]:
    """`node_image.release` of al2023."""
    eks = _eks(design)
    release = eks.node_image.release if eks else None
    if eks is None or release is None or eks.node_image.family != "al2023":
        return
    if not release.startswith(f"{eks.kubernetes_version}."):
        known = catalog().eks.image_releases["al2023"].get(eks.kubernetes_version)
        yield Finding(
            at=("orchestrator", "node_image", "release"),
            message=f"release {release} is not of Kubernetes {eks.kubernetes_version}",
            hint=f"take it out: {known} is pinned" if known else f"write one of {eks.kubernetes_version}",
        )


@rule(
    "EKS033", NOTE, "the image of the nodes is pinned",
    why="Without a release EKS takes the newest image at every update of a node group, and replaces all of its nodes.",
    source=f"{_GUIDE}/update-managed-node-group.html", reads="orchestrator", where="eks",
)  # fmt: skip
def image_is_pinned(design: Design) -> Iterator[Finding]:
    """`node_image.release` where the catalogue has none."""
    eks = _eks(design)
    if eks is None or eks.node_image.release is not None:
        return
    image = eks.node_image
    if eks.kubernetes_version not in catalog().eks.image_releases[image.family]:
        name = f"/aws/service/bottlerocket/aws-k8s-{eks.kubernetes_version}/x86_64/latest/image_version"
        yield Finding(
            at=("orchestrator", "node_image"),
            message=f"nodes have the newest {image.family} image, which any update may change",
            hint=f"write `release:`; `aws ssm get-parameter --region {design.profile.region} --name {name}` tells today's",
        )


@rule(
    "EKS034", ERROR, "nodes whose Lustre goes over EFA run scripts",
    why="Lustre's network over EFA is set up by a script before the first pod, and Bottlerocket runs none.",
    source=f"{_GUIDE}/fsx-csi-tuning-efa.html", reads="orchestrator compute storage data", where="eks",
)  # fmt: skip
def lustre_over_efa_has_scripts(design: Design) -> Iterator[Finding]:
    """Bottlerocket beside a file system with EFA."""
    eks = _eks(design)
    efa = [system.name for system in design.file_systems if system.efa]
    if eks is not None and eks.node_image.family == "bottlerocket" and efa:
        yield Finding(
            at=_FAMILY_AT,
            message=f"bottlerocket nodes cannot reach {either(efa)} over EFA: nothing sets Lustre's network up there",
            hint="write `family: al2023`, or `efa: false` of the file system",
        )


@rule(
    "EKS035", ERROR, "an image that EKS does not make is not asked of it",
    why="EKS adds nothing to the user data of an image of one's own: nodes would have to be told the cluster's service "
    "addresses, which EKS chooses and CloudFormation does not tell. A node without them has no names to look up.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html", reads="compute orchestrator", where="eks",
)  # fmt: skip
def image_is_eks_own(design: Design) -> Iterator[Finding]:
    """`ami_id` and `root_device` of a group."""
    for at, group in _eks_groups(design):
        if group.ami_id is not None:
            yield Finding(
                at=(*at, "ami_id"),
                message=f"nodes of group {group.name} have an image of EKS; {group.ami_id} cannot be honoured",
                hint="take it out; `node_image` of the orchestrator chooses family and release",
            )
        if "root_device" in group.model_fields_set:
            yield Finding(
                at=(*at, "root_device"),
                message="eks knows the root device of its image itself",
                hint="take `root_device` out",
            )


@rule(
    "EKS036", ERROR, "a reason is repaired in one way",
    why="Two overrides of one reason contradict each other, and EKS refuses them.",
    source=f"{_GUIDE}/node-repair.html", reads="orchestrator", where="eks",
)  # fmt: skip
def reasons_are_repaired_once(design: Design) -> Iterator[Finding]:
    """`node_repair.overrides`."""
    eks = _eks(design)
    seen: set[tuple[str, str]] = set()
    for i, override in enumerate(eks.node_repair.overrides if eks else ()):
        if (override.condition, override.reason) in seen:
            yield Finding(
                at=("orchestrator", "node_repair", "overrides", i),
                message=f"{override.reason} is there twice",
                hint="take one of them out",
            )
        seen.add((override.condition, override.reason))


@rule(
    "EKS037", NOTE, "nodes of a Capacity Block are asked for while it runs",
    why="Before the block starts EC2 launches nothing into it: the node group waits, fails, and with it the first "
    "deployment.",
    source=f"{_GUIDE}/capacity-blocks-mng.html", reads="compute orchestrator", where="eks",
)  # fmt: skip
def blocks_run_when_nodes_are_asked_for(design: Design) -> Iterator[Finding]:
    """Nodes in a Capacity Block."""
    for at, group in _eks_groups(design):
        if purchase_of(group.capacity).block and group.count:
            start = f" ({group.capacity.start})" if group.capacity.start else ""
            yield Finding(
                at=(*at, "count"),
                message=f"the {group.count} nodes of group {group.name} come only after their block has started{start}",
                hint="deploy when it has, or before it with `count: 0`",
            )


@rule(
    "EKS038", WARNING, "a node group is within EKS's quotas",
    why="EKS refuses more, until AWS has raised the quota of the account.",
    source=f"{_GUIDE}/service-quotas.html", reads="compute orchestrator", where="eks",
)  # fmt: skip
def groups_are_within_quotas(design: Design) -> Iterator[Finding]:
    """Nodes of a group, and groups of a cluster."""
    facts, all_groups = catalog().eks, _eks_groups(design)
    for at, group in all_groups:
        if group.count > facts.max_nodes_in_group:
            yield Finding(
                at=(*at, "count"),
                message=f"{group.count} nodes in group {group.name}; the quota is {facts.max_nodes_in_group}",
                hint="split the group, or have the quota raised",
            )
    if len(all_groups) > facts.max_groups:
        yield Finding(
            at=("compute", "groups"),
            message=f"{len(all_groups)} node groups; the quota is {facts.max_groups}",
            hint="join groups of one instance type, or have the quota raised",
        )


@rule(
    "EKS011", ERROR, "a node is asked for no more pods than its interfaces have addresses for",
    why="The kubelet would admit pods that never get an address: an efa-only interface on card 0 takes a slot from the "
    "VPC CNI, which nodeadm's own figure does not count, and managed node groups stop at 110 or 250.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html", reads="compute orchestrator", where="eks",
)  # fmt: skip
def pods_have_addresses(design: Design) -> Iterator[Finding]:
    """`pods_per_node` against every group."""
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
        told = ", ".join(f"{most} on {name}" for name, most in sorted(short.items()))
        yield Finding(
            at=("orchestrator", "pods_per_node"),
            message=f"{orchestrator.pods_per_node} pods on each node; the most are {told}",
            hint=f"write {min(short.values())} or less, or take it out: each group then has its own most",
        )
