"""How much of the template a Kubernetes cluster takes: every object in it is a resource of the stack."""

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

MOST_RESOURCES, MOST_BYTES = 300, 520_000
"""Of a cluster's groups and contents: what is left to them of 400 resources and 700 KB beside network, storage
and observability, which are 100 and 180 KB at most."""

MOST_FLAVORS = 64
"""Flavors of one group of resources (CustomResourceDefinition of ClusterQueue)."""

_GROUP_BYTES, _RESOURCE_BYTES, _NAME_BYTES = 11_300, 420, 62
"""Measured: a launch template with its node group; a custom resource without its text; one name in DependsOn."""


@rule(
    "KUB014", ERROR, "the groups and teams of a Kubernetes cluster fit into one stack, and groups into a queue",
    why="Namespaces, queues and volumes of every team are resources of the stack, so that they go when the team does. "
    "CloudFormation takes 500 resources and 1 MB of template: groups and teams have 300 and 520 KB of them. "
    "Kueue refuses a queue with more than 64 flavors, and with it every job.",
    source=_LIMITS, reads="compute orchestrator storage network", where="eks hyperpod-eks",
)  # fmt: skip
def cluster_fits_into_its_stack(design: Design) -> Iterator[Finding]:
    """Resources of groups and contents, the length of their text, and flavors of a queue."""
    plan = design.eks
    if plan is None:
        return
    yield from _beyond_a_queue(design)
    number, size = resources_of(plan), bytes_of(plan)
    if number <= MOST_RESOURCES and size <= MOST_BYTES:
        return
    yield Finding(
        at=("orchestrator", "scheduling", "teams"),
        message=f"groups and teams make {number} resources and about {size // 1000} KB of template, where "
        f"{MOST_RESOURCES} resources and {MOST_BYTES // 1000} KB fit",
        hint="use fewer teams or groups, or make a second cluster of some of them",
    )


def resources_of(plan: EksPlan) -> int:
    """Resources of the stack that the groups and the contents of a cluster are."""
    nodes = 2 * len(plan.groups)
    return nodes + len(plan.contents.addons) + sum(map(_count, plan.contents.steps))


def bytes_of(plan: EksPlan) -> int:
    """About how long their text is in the template."""
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
    """What is written of each resource of a step."""
    from config.design.kubernetes.steps import Manifest, Release

    if isinstance(step, Manifest):
        return step.objects
    return (step.values,) if isinstance(step, Release) else ({},)


def _text(value: Mapping[str, object]) -> int:
    """JSON over lines, in a text in JSON: every quote and every end of a line has a backslash."""
    text = json.dumps([value], indent=1)
    return len(text) + text.count('"') + text.count("\n")


def _count(step: Step) -> int:
    from config.design.kubernetes.steps import Manifest

    return len(step.objects) if isinstance(step, Manifest) else 1


def _beyond_a_queue(design: Design) -> Iterator[Finding]:
    """Compute groups with nodes, under a Kueue whose queues are the profile's."""
    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, Kubernetes) or orchestrator.scheduler != "kueue":
        return
    if isinstance(orchestrator, HyperPodEks) and orchestrator.task_governance is not None:
        return
    number = sum(1 for group in design.groups if group.role == "compute" and group.count)
    if number > MOST_FLAVORS:
        yield Finding(
            at=("compute", "groups"),
            message=f"{number} compute groups with nodes; a queue of Kueue has a flavor for each, and holds {MOST_FLAVORS}",
            hint="join groups of one instance type, or make a second cluster",
        )
