"""Total cost of a profile's stack: instances and services."""

from __future__ import annotations

from config.design.model import Design
from config.design.money.machines import Cost, machine_costs
from config.design.money.services import service_costs
from config.profile.kubernetes.eks import Eks
from config.profile.kubernetes.hyperpod_eks import HyperPodEks
from config.profile.model import Profile


def plan_cost(design: Design) -> Cost:
    """Return the cost items of a design in order, with or without a list price."""
    plane = design.profile.orchestrator
    hyperpod = plane is not None and plane.kind.startswith("hyperpod")
    comes_and_goes = as_needed(design.profile)
    machines = machine_costs(
        design.profile.region, design.groups, hyperpod=hyperpod, as_needed=comes_and_goes
    )
    return Cost(lines=(*machines, *service_costs(design)))


def as_needed(profile: Profile) -> frozenset[str]:
    """Return the groups whose nodes start when jobs need them; costs assume the maximum number of nodes."""
    plane = profile.orchestrator
    groups = profile.compute.groups if profile.compute else ()
    if plane is not None and plane.kind == "pcs":
        return frozenset(group.name for group in groups if group.scaling == "dynamic")
    if isinstance(plane, Eks) and plane.karpenter is not None:
        return frozenset(group.name for group in plane.karpenter.groups if group.nodes == "as-needed")
    if isinstance(plane, HyperPodEks) and plane.autoscaling is not None:
        return frozenset(plane.autoscaling.groups)
    return frozenset()
