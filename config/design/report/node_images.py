"""Node image of each group, the source of newer images, and the effects of an image update."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from config.catalog import catalog
from config.design.capacity.groups import GroupPlan
from config.design.kubernetes.nodes.groups import EksGroupPlan, ami_type_of
from config.design.model import Design
from config.profile.orchestrator import Eks, HyperPodEks

Form = Literal["ami", "eks-release", "hyperpod-release", "service"]
NEWER = "NEWER"
"""Placeholder for the new image in a profile key or a command."""

_EKS = "https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html"
_HYPERPOD = (
    "https://docs.aws.amazon.com/sagemaker/latest/dg/"
    "sagemaker-hyperpod-eks-operate-cli-command-update-cluster-software.html"
)
_HYPERPOD_SCRIPTS = (
    "https://docs.aws.amazon.com/sagemaker/latest/dg/"
    "sagemaker-hyperpod-lifecycle-best-practices-slurm-slurm-update-cluster-lifecycle.html"
)
_PCS = "https://docs.aws.amazon.com/pcs/latest/userguide/working-with_cng_update.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rolling:
    """An image update: its `effects` in order, the keys to `write` in the profile, and commands to `run`.

    NEWER is the placeholder for the image's id or release.
    """

    effects: tuple[str, ...]
    source: str
    write: str | None
    run: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeImage:
    """The node image of one group.

    `pinned` is an image id or a release; None if the service uses its newest image. `id_parameter` and
    `release_parameter` are Systems Manager parameters with the newest image; None if AWS does not publish
    it. `service_name` is the group's name in the service; None for Karpenter nodes, which have no group.
    """

    group: str
    nodes: int
    instance_type: str
    arch: str
    capacity: str
    form: Form
    pinned: str | None
    pinned_by: str
    id_parameter: str | None
    release_parameter: str | None
    service_name: str | None
    root_volume_gib: int | None
    rolling: Rolling


def node_images(design: Design) -> tuple[NodeImage, ...]:
    """Return the node images of all groups, in the order of the profile."""
    return tuple(_image(design, i, group) for i, group in enumerate(_ordered(design)))


def _ordered(design: Design) -> list[GroupPlan]:
    by_name = {group.name: group for group in design.groups}
    return [by_name[declared.name] for _, declared in design.placed_groups if declared.name in by_name]


def _image(design: Design, index: int, group: GroupPlan) -> NodeImage:
    orchestrator = design.profile.orchestrator
    if isinstance(orchestrator, Eks):
        return _of_eks(design, orchestrator, group)
    if design.pcs is not None:
        return _of_pcs(design, index, group)
    return _of_hyperpod(design, index, group)


def _of_eks(design: Design, eks: Eks, group: GroupPlan) -> NodeImage:
    assert design.eks is not None
    plan = next((one for one in design.eks.groups if one.group.name == group.name), None)
    release = eks.node_image.release or catalog().eks.image_releases[eks.node_image.family].get(
        eks.kubernetes_version
    )
    own = eks.node_image.release is not None
    by_id, by_release = eks_parameters(ami_type_of(group, eks.node_image.family), eks.kubernetes_version)
    return NodeImage(
        **_facts(group),
        form="eks-release" if release else "service",
        pinned=release,
        pinned_by="orchestrator.node_image.release" if own else "the catalogue" if release else "",
        id_parameter=by_id,
        release_parameter=by_release,
        service_name=plan.name if plan else None,
        root_volume_gib=group.root_volume_gib if plan else None,
        rolling=Rolling(
            effects=tuple(_eks_effects(group, plan)),
            source=_EKS,
            write=f'orchestrator: {{node_image: {{release: "{NEWER}"}}}}',
        ),
    )


def eks_parameters(ami_type: str, version: str) -> tuple[str, str]:
    """Return the Systems Manager parameters with the id and the release of the newest EKS image.

    Sources: https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html and
    https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id-bottlerocket.html.
    """
    arch = "arm64" if "ARM_64" in ami_type else "x86_64"
    nvidia = "NVIDIA" in ami_type
    if ami_type.startswith("BOTTLEROCKET"):
        variant = f"aws-k8s-{version}{'-nvidia' if nvidia else ''}"
        place = f"/aws/service/bottlerocket/{variant}/{arch}/latest"
        return f"{place}/image_id", f"{place}/image_version"
    place = f"/aws/service/eks/optimized-ami/{version}/amazon-linux-2023/{arch}"
    kind = "nvidia" if nvidia else "standard"
    return f"{place}/{kind}/recommended/image_id", f"{place}/{kind}/recommended/release_version"


def _eks_effects(group: GroupPlan, plan: EksGroupPlan | None) -> Iterator[str]:
    if plan is None:
        yield "Karpenter replaces nodes with another image, within its disruption budgets"
        return
    yield "EKS creates a new version of the launch template and replaces the nodes one after another"
    yield "each node is drained first: its pods move or wait, and jobs that use whole nodes restart"
    if plan.minimal_update:
        yield "each old node is terminated before its replacement starts, so no additional instance is needed"
    else:
        yield "new nodes start before old nodes are terminated, so the subnet needs additional addresses"
    yield from _machines(group)


def _of_pcs(design: Design, index: int, group: GroupPlan) -> NodeImage:
    assert design.pcs is not None
    plan = next(one for one in design.pcs.groups if one.group.name == group.name)
    return NodeImage(
        **_facts(group),
        form="ami" if plan.image else "service",
        pinned=plan.image,
        pinned_by=f"compute.groups[{index}].ami_id" if plan.image else "",
        id_parameter=catalog().pcs.image_parameter.format(arch=group.instance_type.arch),
        release_parameter=None,
        service_name=plan.name,
        root_volume_gib=group.root_volume_gib,
        rolling=Rolling(
            effects=(
                "PCS launches new nodes with the image and replaces each node after its jobs have finished",
                "user processes on a login node are terminated with the node",
                *_machines(group),
            ),
            source=_PCS,
            write=f"compute.groups[{index}]: {{ami_id: {NEWER}}}",
        ),
    )


def _of_hyperpod(design: Design, index: int, group: GroupPlan) -> NodeImage:
    plan = design.hyperpod or design.hyperpod_eks
    slurm = design.hyperpod is not None
    pinned = group.ami_id or group.image_release
    key = "ami_id" if group.ami_id else "image_release"
    released = isinstance(design.profile.orchestrator, HyperPodEks) and group.image_release is not None
    return NodeImage(
        **_facts(group),
        form="ami" if group.ami_id else "hyperpod-release" if released else "service",
        pinned=pinned,
        pinned_by=f"compute.groups[{index}].{key}" if pinned else "",
        id_parameter=None,
        release_parameter=None,
        service_name=group.name if plan else None,
        root_volume_gib=None,
        rolling=Rolling(
            effects=tuple(_hyperpod_effects(slurm=slurm)),
            source=_HYPERPOD_SCRIPTS if slurm else _HYPERPOD,
            write=f"compute.groups[{index}]: {{{key}: {NEWER}}}" if pinned else None,
            run=(_update_command(design, plan.cluster_name, group),) if plan and not released else (),
        ),
    )


def _hyperpod_effects(*, slurm: bool) -> Iterator[str]:
    yield "HyperPod replaces the root volumes: their data is lost, and the lifecycle scripts run again"
    yield "nodes are not drained and their jobs are terminated: drain the group first, or use small batches"
    yield "the instances are not replaced, so they remain in their training plan"
    if slurm:
        yield "update the controller group separately: jobs cannot start until the controller is back"


def _update_command(design: Design, cluster: str, group: GroupPlan) -> str:
    """https://docs.aws.amazon.com/cli/latest/reference/sagemaker/update-cluster-software.html."""
    command = ["aws", "sagemaker", "update-cluster-software", "--region", design.profile.region]
    command += ["--cluster-name", cluster, "--instance-groups", f"InstanceGroupName={group.name}"]
    if group.ami_id:
        command += ["--image-id", NEWER]
    if group.count > 1:
        batch = {"RollingUpdatePolicy": {"MaximumBatchSize": {"Type": "INSTANCE_COUNT", "Value": 1}}}
        command += ["--deployment-config", json.dumps(batch, separators=(",", ":"))]
    return shlex.join(command)


def _machines(group: GroupPlan) -> Iterator[str]:
    """Yield a sentence about the capacity of replacements, if the group is reserved or has GPUs."""
    if block := group.purchase.block:
        yield (
            "the Capacity Block has capacity for a replacement instance, except in the last "
            f"{block.terminated_minutes_before_end} minutes"
        )
    elif group.capacity.reserved:
        yield "the reservation has capacity for a replacement instance"
    elif group.instance_type.is_gpu:
        instances = "1 instance is" if group.count == 1 else f"{group.count} instances are"
        yield f"the {instances} not reserved, so EC2 may have no replacement for a terminated instance"


def _facts(group: GroupPlan) -> dict[str, Any]:
    return {
        "group": group.name,
        "nodes": group.count,
        "instance_type": group.instance_type.name,
        "arch": group.instance_type.arch,
        "capacity": group.capacity.kind,
    }
