"""Slow deployment steps of Kubernetes clusters, with EKS node groups or HyperPod nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from config.design.deployment.network import NetworkSteps
from config.design.deployment.slurm import HYPERPOD, booting
from config.design.deployment.steps import Steps
from config.design.deployment.storage import StorageSteps
from config.design.kubernetes.hyperpod import HyperPodEksPlan
from config.design.kubernetes.model import AddonPlan
from config.design.kubernetes.plan import EksPlan
from config.design.model import Design
from config.design.zones import PRIMARY

_FILE_SYSTEM = re.compile(r"\$\{ultracluster:file-system-[a-z-]+:([A-Za-z0-9_.-]*)\}")
_HOME = "${ultracluster:home-"


def eks_steps(
    design: Design, plan: EksPlan, steps: Steps, network: NetworkSteps, storage: StorageSteps
) -> None:
    """Add the steps of an EKS cluster: the VPC CNI before the nodes, other add-ons after them."""
    cluster = _control_plane(plan, steps, network)
    first = _addons(steps, _before_nodes(plan), (cluster,), ())
    system, boot = [], booting(network, storage)
    if plan.karpenter is not None:
        steps.add("node profile", "AWS::IAM::InstanceProfile", "instance profile of the nodes", ())
    for one in plan.groups:
        # system nodes do not mount file systems
        own = one.group.role == "system"
        ready = (*network.nodes_ready, *network.rules) if own else boot
        group = steps.add(
            f"group {one.group.name}", "AWS::EKS::Nodegroup", f"node group {one.group.name}",
            (cluster, *first, *network.subnet(one.group.subnet), *ready),
        )  # fmt: skip
        system += [group] if own else []
    _addons(steps, _after_nodes(plan), (cluster,), system)
    _scraper(design, plan, steps, cluster, network, storage)


def hyperpod_eks_steps(
    design: Design,
    eks: EksPlan,
    plan: HyperPodEksPlan,
    steps: Steps,
    network: NetworkSteps,
    storage: StorageSteps,
) -> None:
    """Add the steps of a HyperPod cluster: its nodes after EKS, the VPC CNI and HyperPod's chart."""
    cluster = _control_plane(eks, steps, network)
    first = _addons(steps, _before_nodes(eks), (cluster,), ())
    boot = booting(network, storage, plan.scripts.parameters if plan.scripts else (), plan.storage)
    places = network.subnet(PRIMARY, *(group.subnet for group in design.groups))
    nodes = steps.add("hyperpod", HYPERPOD, "HyperPod cluster", (cluster, *first, *places, *boot))
    _addons(steps, _after_nodes(eks), (cluster,), (nodes,))
    _scraper(design, eks, steps, cluster, network, storage)


def _control_plane(plan: EksPlan, steps: Steps, network: NetworkSteps) -> str:
    after = (*network.rules, *network.subnet(*plan.control_plane.subnets))
    return steps.add("eks", "AWS::EKS::Cluster", "EKS control plane", after)


def _before_nodes(plan: EksPlan) -> list[AddonPlan]:
    return [addon for addon in plan.contents.addons if not addon.after_nodes]


def _after_nodes(plan: EksPlan) -> list[AddonPlan]:
    return [addon for addon in plan.contents.addons if addon.after_nodes]


def _addons(
    steps: Steps, plans: Iterable[AddonPlan], cluster: tuple[str, ...], nodes: Sequence[str]
) -> list[str]:
    """Add each add-on after the add-ons that it requires, or after the nodes if it requires none."""
    made: dict[str, str] = {}
    for plan in plans:
        others = [made[name] for name in plan.after if name in made]
        after = (*cluster, *(others or nodes))
        made[plan.name] = steps.add(f"addon {plan.name}", "AWS::EKS::Addon", f"add-on {plan.name}", after)
    return list(made.values())


def _scraper(
    design: Design, plan: EksPlan, steps: Steps, cluster: str, network: NetworkSteps, storage: StorageSteps
) -> None:
    """Add the AMP scraper after the file systems whose ids its configuration contains."""
    observability = design.observability
    if observability is None or observability.scraper is None or not observability.managed:
        return
    text = observability.scraper
    named = [name for name in _FILE_SYSTEM.findall(text) if name in storage.file_systems]
    read = [storage.file_systems[name] for name in named]
    read += [storage.home] if storage.home and _HOME in text else []
    steps.add(
        "scraper", "AWS::APS::Scraper", "metrics collector",
        (cluster, *network.rules, *network.subnet(*plan.control_plane.subnets), *read),
    )  # fmt: skip
