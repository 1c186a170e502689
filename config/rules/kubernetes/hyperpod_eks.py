"""Rules for HyperPod on EKS: the health agent, deep health checks, autoscaling, provisioning and images."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.catalog.kubernetes.hyperpod_eks import hyperpod_eks
from config.design.kinds import eks_of
from config.design.model import Design
from config.diagnostics import Path
from config.profile.capacity.groups import Group
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_GUIDE = "https://docs.aws.amazon.com/sagemaker/latest/dg"
_API = "https://docs.aws.amazon.com/sagemaker/latest/APIReference"
_CHECKS = f"{_GUIDE}/sagemaker-hyperpod-eks-resiliency-deep-health-checks.html"
_KARPENTER = f"{_GUIDE}/sagemaker-hyperpod-eks-autoscaling.html"
_CLASS = f"{_GUIDE}/sagemaker-hyperpod-eks-autoscaling-nodeclass.html"
_AT: Path = ("orchestrator",)
_AUTOSCALING: Path = (*_AT, "autoscaling")


@rule(
    "HPE001", ERROR, "the Region has an image of the health monitoring agent",
    why="If HyperPod's chart has no image for a Region, it uses the image of another Region. Nodes cannot "
    "pull that image, and their faults are not detected (HYPERPOD-27).",
    source="https://github.com/aws/sagemaker-hyperpod-cli/issues/359", reads="region orchestrator", where="hyperpod-eks",
    ages="the Regions that have an image of the health monitoring agent",
)  # fmt: skip
def health_agent_has_an_image(design: Design) -> Iterator[Finding]:
    """Compare the Region with the Regions for which the chart has an image."""
    hyperpod, region = eks_of(design.profile), catalog().region(design.profile.region)
    if hyperpod is None or hyperpod.health_agent_image or region is None or not region.hyperpod:
        return
    with_image = hyperpod_eks().health_agent.regions
    if region.name not in with_image:
        known = ", ".join(sorted(with_image))
        yield Finding(
            at=("region",),
            message=f"HyperPod's chart has no image of the health monitoring agent for {region.name}",
            hint=f"set `region` to one of {known}, or set orchestrator.health_agent_image",
        )


@rule(
    "HPE002", ERROR, "a group with taints does not run deep health checks",
    why="While the checks run, HyperPod keeps jobs off the nodes with its own taint. HyperPod does not allow other taints on this "
    "group.",
    source=_CHECKS, reads="compute orchestrator", where="taints",
)  # fmt: skip
def tainted_groups_run_no_checks(design: Design) -> Iterator[Finding]:
    """Report groups with both `taints` and `deep_health_checks`."""
    if eks_of(design.profile) is None:
        return
    for at, group in design.placed_groups:
        if group.taints and group.deep_health_checks:
            yield Finding(
                at=(*at, "deep_health_checks"),
                message=f"group {group.name} has deep health checks and custom taints, which HyperPod does not support together",
                hint="set `deep_health_checks: []`, or remove `taints`",
            )


@rule(
    "HPE003", ERROR, "a cluster with autoscaling uses continuous provisioning and automatic node recovery",
    why="HyperPod rejects autoscaling without `provisioning: continuous` and `node_recovery: automatic` (HYPERPOD-35).",
    source=_KARPENTER, reads="orchestrator", where="autoscaling",
)  # fmt: skip
def karpenter_has_what_it_needs(design: Design) -> Iterator[Finding]:
    """Check `provisioning` and `node_recovery` if `autoscaling` is set."""
    hyperpod = eks_of(design.profile)
    if hyperpod is None or hyperpod.autoscaling is None:
        return
    wanted = (
        ("provisioning", hyperpod.provisioning, "continuous"),
        ("node_recovery", hyperpod.node_recovery, "automatic"),
    )
    for key, has, wants in wanted:
        if has != wants:
            yield Finding(
                at=_AUTOSCALING,
                message=f"HyperPod rejects autoscaling with `{key}: {has}`",
                hint=f"set `{key}: {wants}`",
            )


@rule(
    "HPE004", ERROR, "the groups in `autoscaling` exist, start with 0 nodes, and do not use a training plan",
    why="Karpenter removes the initial nodes of a group. HyperPod rejects training plans and deep health "
    "checks in a cluster with autoscaling.",
    source=_CLASS, reads="compute orchestrator", where="autoscaling",
)  # fmt: skip
def autoscaled_groups_can_be_scaled(design: Design) -> Iterator[Finding]:
    """Compare `autoscaling.groups` with the groups of the profile."""
    hyperpod = eks_of(design.profile)
    if hyperpod is None or hyperpod.autoscaling is None:
        return
    by_name = {group.name: (at, group) for at, group in design.placed_groups}
    names = hyperpod.autoscaling.groups
    for i, name in enumerate(names):
        at = (*_AUTOSCALING, "groups", i)
        if name in names[:i]:
            yield Finding(at=at, message=f"group {name} is listed twice", hint="remove one entry")
        elif name not in by_name:
            known = ", ".join(sorted(by_name)) or "no group"
            yield Finding(
                at=at,
                message=f"the profile has no group `{name}`",
                hint=f"the groups of the profile are: {known}",
            )
        elif by_name[name][1].count:
            place, group = by_name[name]
            yield Finding(
                at=(*place, "count"),
                message=f"group {name} starts with {group.count} nodes, which Karpenter would remove",
                hint="set `count` to 0; set the limit of Karpenter in orchestrator.autoscaling.max_gpus",
            )
    yield from _rejected_with_autoscaling(design.placed_groups)


def _rejected_with_autoscaling(groups: tuple[tuple[Path, Group], ...]) -> Iterator[Finding]:
    for at, group in groups:
        if group.capacity.arn is not None:
            yield Finding(
                at=(*at, "capacity", "kind"),
                message=f"group {group.name} uses a training plan, which HyperPod rejects in a cluster with "
                "autoscaling",
                hint="use on-demand or Spot capacity, or remove orchestrator.autoscaling",
            )
        if group.deep_health_checks:
            yield Finding(
                at=(*at, "deep_health_checks"),
                message=f"group {group.name} has deep health checks, which HyperPod rejects in a cluster with "
                "autoscaling",
                hint="set `deep_health_checks: []`, or remove orchestrator.autoscaling",
            )


@rule(
    "HPE005", NOTE, "an update of the cluster sends a count of 0 for autoscaled groups",
    why="CloudFormation requires a count for each group, and sends this count to HyperPod at each update of the cluster. AWS does "
    "not document how HyperPod then treats the nodes that Karpenter launched (HYPERPOD-21).",
    source="https://github.com/hashicorp/terraform-provider-awscc/issues/3025", reads="orchestrator", where="autoscaling",
)  # fmt: skip
def autoscaled_counts_are_reported(design: Design) -> Iterator[Finding]:
    """Report `autoscaling`, because the template does not have the current node counts."""
    hyperpod = eks_of(design.profile)
    if hyperpod is not None and hyperpod.autoscaling is not None:
        yield Finding(
            at=(*_AUTOSCALING, "groups"),
            message="each cluster update sends a node count of 0 for groups that Karpenter scales "
            f"({', '.join(sorted(set(hyperpod.autoscaling.groups)))}), even if these groups have running nodes",
            hint="update the cluster only when no job runs on these groups",
        )


@rule(
    "HPE007", WARNING, "add-ons are created after the first nodes",
    why="With continuous provisioning, HyperPod reports the cluster as complete before it has nodes. An "
    "add-on that finds no node fails after its timeout, and the stack is rolled back (HYPERPOD-37).",
    source="https://github.com/awslabs/ai-on-eks/issues/302", reads="compute orchestrator", where="continuous",
)  # fmt: skip
def add_ons_find_nodes(design: Design) -> Iterator[Finding]:
    """Check that a group has `min_count` if provisioning is continuous."""
    hyperpod = eks_of(design.profile)
    if hyperpod is None or hyperpod.provisioning != "continuous":
        return
    if not any(group.min_count for _, group in design.placed_groups) and any(
        g.count for _, g in design.placed_groups
    ):
        yield Finding(
            at=(*_AT, "provisioning"),
            message="no group has `min_count`, so add-ons can be created before the cluster has a node",
            hint="set the system group's `min_count` to its `count`, or set orchestrator.provisioning to "
            "all-at-once",
        )


@rule(
    "HPE008", ERROR, "a group sets its image by id or by release",
    why="`image_release` selects a version of HyperPod's own image. With a custom image (`ami_id`), the release has no effect.",
    source=f"{_API}/API_ClusterInstanceGroupSpecification.html", reads="compute orchestrator", where="image_release",
)  # fmt: skip
def image_is_named_once(design: Design) -> Iterator[Finding]:
    """Report groups with both `image_release` and `ami_id`."""
    for at, group in design.placed_groups:
        if group.image_release is not None and group.ami_id is not None:
            yield Finding(
                at=(*at, "image_release"),
                message=f"group {group.name} sets both `image_release: {group.image_release}` and `ami_id: {group.ami_id}`",
                hint="remove `image_release` or `ami_id`",
            )
