"""Rule for the template size of a Kubernetes cluster, in which each object is a resource of the stack."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from config.design.model import Design
from config.profile.kubernetes.base import Kubernetes
from config.profile.kubernetes.hyperpod_eks import HyperPodEks
from config.rules.registry import ERROR, Finding, rule

if TYPE_CHECKING:
    from config.design.kubernetes.plan import EksPlan
    from config.design.kubernetes.steps import Step

_LIMITS = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html"

MAX_RESOURCES, MAX_BYTES = 300, 520_000
"""Maximum number of resources and bytes for a cluster's groups and contents. The stack can use 400 resources
and 700 KB; 100 resources and 180 KB of them are left for network, storage and observability."""

MAX_FLAVORS = 64
"""Maximum number of flavors in a resource group (CustomResourceDefinition of ClusterQueue)."""

_GROUP_BYTES, _RESOURCE_BYTES, _NAME_BYTES = 11_300, 420, 62
"""Measured sizes in bytes: of a launch template and its node group, of a custom resource without its text,
and of a name in DependsOn."""


@rule(
    "KUB014", ERROR, "the groups and teams of a Kubernetes cluster fit into one stack, and the groups fit into one queue",
    why="The namespaces, queues and volumes of each team are resources of the stack, so that they are "
    "deleted with the team. CloudFormation allows 500 resources and a template of 1 MB; groups and "
    "teams can use 300 resources and 520 KB of that. Kueue rejects a queue with more than 64 flavors, "
    "and then admits no job.",
    source=_LIMITS, reads="compute orchestrator storage network", where="eks hyperpod-eks",
)  # fmt: skip
def cluster_fits_into_its_stack(design: Design) -> Iterator[Finding]:
    """Check the number of resources, the size of their text, and the number of flavors in a queue."""
    plan = design.eks
    if plan is None:
        return
    yield from _too_many_flavors(design)
    number, size = resources_of(plan), bytes_of(plan)
    if number <= MAX_RESOURCES and size <= MAX_BYTES:
        return
    yield Finding(
        at=("orchestrator", "scheduling", "teams"),
        message=f"the groups and teams add {number} resources and about {size // 1000} KB to the template, but the maximum is "
        f"{MAX_RESOURCES} resources and {MAX_BYTES // 1000} KB",
        hint="use fewer teams or groups, or move some of them to a second cluster",
    )


def resources_of(plan: EksPlan) -> int:
    """Return the number of stack resources for the groups and contents of a cluster."""
    nodes = 2 * len(plan.groups)
    return nodes + len(plan.contents.addons) + sum(map(_count, plan.contents.steps))


def bytes_of(plan: EksPlan) -> int:
    """Return the approximate number of bytes that these resources use in the template."""
    counts = {step.name: _count(step) for step in plan.contents.steps}
    found = len(plan.groups) * _GROUP_BYTES
    for step in plan.contents.steps:
        before = sum(counts.get(name, 1) for name in step.after)
        texts = _texts(step)
        namespaces = sum(one.get("kind") == "Namespace" for one in texts)
        for one in texts:
            named = before + (0 if one.get("kind") == "Namespace" else namespaces)
            found += _text(one) + _RESOURCE_BYTES + named * _NAME_BYTES
    return found


def _texts(step: Step) -> Sequence[Mapping[str, object]]:
    """Return the objects or values that the template contains for a step."""
    from config.design.kubernetes.steps import Manifest, Release

    if isinstance(step, Manifest):
        return step.objects
    return (step.values,) if isinstance(step, Release) else ({},)


def _text(value: Mapping[str, object]) -> int:
    """Return the size of a value's JSON after it is escaped again as a JSON string."""
    text = json.dumps([value], indent=1)
    return len(text) + text.count('"') + text.count("\n")


def _count(step: Step) -> int:
    from config.design.kubernetes.steps import Manifest

    return len(step.objects) if isinstance(step, Manifest) else 1


def _too_many_flavors(design: Design) -> Iterator[Finding]:
    """Report compute groups if a Kueue queue cannot have a flavor for each of them."""
    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, Kubernetes) or orchestrator.scheduler != "kueue":
        return
    if isinstance(orchestrator, HyperPodEks) and orchestrator.task_governance is not None:
        return
    number = sum(1 for group in design.groups if group.role == "compute" and group.count)
    if number > MAX_FLAVORS:
        yield Finding(
            at=("compute", "groups"),
            message=f"{number} compute groups have nodes, but a Kueue queue has one flavor for each group and at most "
            f"{MAX_FLAVORS} flavors",
            hint="merge groups of one instance type, or move some groups to a second cluster",
        )
