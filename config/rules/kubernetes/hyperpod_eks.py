"""HyperPod on EKS: nodes that come, join, are watched over and grow with the pods that wait."""

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
    "HPE001", ERROR, "the Region has an image of the agent that watches over nodes",
    why="Its chart takes another Region's image where it knows none: nodes cannot pull it and nothing finds their faults "
    "(HYPERPOD-27).",
    source="https://github.com/aws/sagemaker-hyperpod-cli/issues/359", reads="region orchestrator", where="hyperpod-eks",
    ages="the Regions that have an image of the health agent",
)  # fmt: skip
def health_agent_has_an_image(design: Design) -> Iterator[Finding]:
    """The Region against the chart's map."""
    stated, region = eks_of(design.profile), catalog().region(design.profile.region)
    if stated is None or stated.health_agent_image or region is None or not region.hyperpod:
        return
    with_image = hyperpod_eks().health_agent.regions
    if region.name not in with_image:
        known = ", ".join(sorted(with_image))
        yield Finding(
            at=("region",),
            message=f"HyperPod's chart has no image of the health agent for {region.name}",
            hint=f"use one of {known}, or name one as `orchestrator.health_agent_image`",
        )


@rule(
    "HPE002", ERROR, "a group with taints runs no deep health checks",
    why="While the checks run, HyperPod keeps jobs off with a taint of its own; custom ones cannot be added to such a group.",
    source=_CHECKS, reads="compute orchestrator", where="taints",
)  # fmt: skip
def tainted_groups_run_no_checks(design: Design) -> Iterator[Finding]:
    """Taints beside deep_health_checks."""
    if eks_of(design.profile) is None:
        return
    for at, group in design.placed_groups:
        if group.taints and group.deep_health_checks:
            yield Finding(
                at=(*at, "deep_health_checks"),
                message=f"group {group.name} has taints of its own, HyperPod refuses deep health checks beside them",
                hint="write `deep_health_checks: []`, or take `taints` out",
            )


@rule(
    "HPE003", ERROR, "a cluster that Karpenter scales provisions continuously and recovers by itself",
    why="HyperPod refuses autoscaling without either (HYPERPOD-35).",
    source=_KARPENTER, reads="orchestrator", where="autoscaling",
)  # fmt: skip
def karpenter_has_what_it_needs(design: Design) -> Iterator[Finding]:
    """Provisioning and node_recovery beside autoscaling."""
    stated = eks_of(design.profile)
    if stated is None or stated.autoscaling is None:
        return
    wanted = (
        ("provisioning", stated.provisioning, "continuous"),
        ("node_recovery", stated.node_recovery, "automatic"),
    )
    for key, has, wants in wanted:
        if has != wants:
            yield Finding(
                at=_AUTOSCALING,
                message=f"autoscaling with `{key}: {has}`, which HyperPod refuses",
                hint=f"write `{key}: {wants}`",
            )


@rule(
    "HPE004", ERROR, "groups that Karpenter scales are there, begin with none, and come from no training plan",
    why="Karpenter takes a group that begins with nodes back to none, and HyperPod refuses plans and deep health checks "
    "in a cluster that it scales.",
    source=_CLASS, reads="compute orchestrator", where="autoscaling",
)  # fmt: skip
def autoscaled_groups_can_be_scaled(design: Design) -> Iterator[Finding]:
    """autoscaling.groups against the groups of the profile."""
    stated = eks_of(design.profile)
    if stated is None or stated.autoscaling is None:
        return
    by_name = {group.name: (at, group) for at, group in design.placed_groups}
    names = stated.autoscaling.groups
    for i, name in enumerate(names):
        at = (*_AUTOSCALING, "groups", i)
        if name in names[:i]:
            yield Finding(at=at, message=f"{name} is listed twice", hint="take one out")
        elif name not in by_name:
            known = ", ".join(sorted(by_name)) or "no group"
            yield Finding(at=at, message=f"no group is named {name}", hint=f"the profile has {known}")
        elif by_name[name][1].count:
            place, group = by_name[name]
            yield Finding(
                at=(*place, "count"),
                message=f"group {name} begins with {group.count} nodes, Karpenter would take them to none",
                hint="write `count: 0`; `orchestrator.autoscaling.max_gpus` is the limit",
            )
    yield from _refused_by_karpenter(design.placed_groups)


def _refused_by_karpenter(stated: tuple[tuple[Path, Group], ...]) -> Iterator[Finding]:
    for at, group in stated:
        if group.capacity.arn is not None:
            yield Finding(
                at=(*at, "capacity", "kind"),
                message=f"group {group.name} comes from a training plan, in a cluster that Karpenter scales",
                hint="take the machines on demand or spot, or take `orchestrator.autoscaling` out",
            )
        if group.deep_health_checks:
            yield Finding(
                at=(*at, "deep_health_checks"),
                message=f"group {group.name} has deep health checks, in a cluster that Karpenter scales",
                hint="write `deep_health_checks: []`, or take `orchestrator.autoscaling` out",
            )


@rule(
    "HPE005", NOTE, "a change of the cluster states no nodes for groups that Karpenter scales",
    why="CloudFormation wants a count of every group and sends it whenever the cluster changes: what HyperPod then does with "
    "nodes that Karpenter has made is told nowhere (HYPERPOD-21).",
    source="https://github.com/hashicorp/terraform-provider-awscc/issues/3025", reads="orchestrator", where="autoscaling",
)  # fmt: skip
def counts_of_karpenter_are_told_of(design: Design) -> Iterator[Finding]:
    """autoscaling, whose counts no template knows."""
    stated = eks_of(design.profile)
    if stated is not None and stated.autoscaling is not None:
        yield Finding(
            at=(*_AUTOSCALING, "groups"),
            message=f"the template says 0 nodes of {', '.join(sorted(set(stated.autoscaling.groups)))}, whatever runs there",
            hint="change the cluster while no job runs on them",
        )


@rule(
    "HPE007", WARNING, "add-ons find nodes when they are made",
    why="With continuous provisioning HyperPod calls the cluster complete before nodes are there, and an add-on that finds none "
    "fails after a while and takes the stack with it (HYPERPOD-37).",
    source="https://github.com/awslabs/ai-on-eks/issues/302", reads="compute orchestrator", where="continuous",
)  # fmt: skip
def add_ons_find_nodes(design: Design) -> Iterator[Finding]:
    """A group with a least count, under continuous provisioning."""
    stated = eks_of(design.profile)
    if stated is None or stated.provisioning != "continuous":
        return
    if not any(group.min_count for _, group in design.placed_groups) and any(
        g.count for _, g in design.placed_groups
    ):
        yield Finding(
            at=(*_AT, "provisioning"),
            message="no group states how many nodes it needs before the cluster is complete",
            hint="give the system group a `min_count` of its `count`, or write `provisioning: all-at-once`",
        )


@rule(
    "HPE008", ERROR, "an image is named by its id or by its release",
    why="A release is one of HyperPod's own image, which an image of one's own takes the place of.",
    source=f"{_API}/API_ClusterInstanceGroupSpecification.html", reads="compute orchestrator", where="image_release",
)  # fmt: skip
def image_is_named_once(design: Design) -> Iterator[Finding]:
    """image_release beside ami_id."""
    for at, group in design.placed_groups:
        if group.image_release is not None and group.ami_id is not None:
            yield Finding(
                at=(*at, "image_release"),
                message=f"group {group.name} names release {group.image_release} and the image {group.ami_id}",
                hint="take one of them out",
            )
