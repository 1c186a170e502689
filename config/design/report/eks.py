"""The Amazon EKS report of a plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from config.catalog.kubernetes.charts import charts
from config.records import copied

if TYPE_CHECKING:
    from config.design.kubernetes.cluster import AccessPlan, PolicyPlan
    from config.design.kubernetes.nodes.groups import EksGroupPlan
    from config.design.kubernetes.plan import EksPlan
    from config.design.kubernetes.steps import Release


@dataclass(frozen=True, slots=True, kw_only=True)
class AddonReport:
    """An EKS add-on; `version` is None if EKS chooses it."""

    name: str
    version: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseReport:
    """A Helm release with its chart and locked version."""

    name: str
    chart: str
    version: str
    namespace: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessReport:
    """A principal with access to the cluster; `gets` lists its rights: `AmazonEKSEditPolicy in team-a`."""

    principal: str
    gets: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeGroupReport:
    """A managed node group; `release` is None if EKS chooses the image. `repair` is a sentence."""

    group: str
    name: str
    image: str
    release: str | None
    minimal_update: bool
    repair: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EksReport:
    """An EKS cluster; `public_cidrs` is None if its API endpoint is reachable only from the VPC.

    `secrets_key` is the ARN of an existing key, `new` for a key that the stack creates, and None for the AWS
    owned key. `releases` are in the order of deployment. `objects` is the number of Kubernetes objects that
    are applied in addition to the releases: queues, volumes, namespaces.
    """

    cluster_name: str
    kubernetes_version: str
    support: str
    public_cidrs: tuple[str, ...] | None
    secrets_key: str | None
    logs: tuple[str, ...]
    log_retention_days: int
    deployer_access: bool
    deletion_protection: bool
    access: tuple[AccessReport, ...]
    addons: tuple[AddonReport, ...]
    releases: tuple[ReleaseReport, ...]
    objects: int
    groups: tuple[NodeGroupReport, ...]


_LOGS = {"controllerManager": "controller-manager"}
"""Profile values for log types that have another name in EKS."""


def eks_report(plan: EksPlan) -> EksReport:
    """Return the report of an EKS cluster."""
    from config.design.kubernetes.steps import Manifest, Release

    control = plan.control_plane
    return copied(
        EksReport,
        control,
        support=control.support.lower(),
        secrets_key="new" if control.new_secrets_key else control.secrets_key_arn,
        logs=tuple(_LOGS.get(kind, kind) for kind in control.log_types),
        access=tuple(_access(entry) for entry in control.access),
        addons=tuple(AddonReport(name=one.name, version=one.version) for one in plan.contents.addons),
        releases=tuple(_release(step) for step in plan.contents.steps if isinstance(step, Release)),
        objects=sum(len(step.objects) for step in plan.contents.steps if isinstance(step, Manifest)),
        groups=tuple(_group(group) for group in plan.groups),
    )


def _release(step: Release) -> ReleaseReport:
    return copied(ReleaseReport, step, version=charts()[step.chart].version)


def _access(entry: AccessPlan) -> AccessReport:
    groups = (f"group {name}" for name in entry.groups)
    return AccessReport(
        principal=entry.principal, gets=(*(_policy(policy) for policy in entry.policies), *groups)
    )


def _policy(policy: PolicyPlan) -> str:
    return f"{policy.name} in {', '.join(policy.namespaces)}" if policy.namespaces else policy.name


def _group(group: EksGroupPlan) -> NodeGroupReport:
    facts = {"group": group.group.name, "image": group.ami_type, "repair": _repair(group)}
    return copied(NodeGroupReport, group, **facts)


def _repair(group: EksGroupPlan) -> str:
    repair = group.repair
    if repair is None:
        return "node repair is off"
    by_action: dict[str, int] = {}
    for override in repair.overrides:
        by_action[override.action] = by_action.get(override.action, 0) + 1
    labels = {"Reboot": "reboot", "Replace": "replace", "NoAction": "ignore"}
    actions = [
        f"{labels[action]} for {count} {'reason' if count == 1 else 'reasons'}"
        for action, count in sorted(by_action.items())
    ]
    nodes = "1 node" if repair.max_parallel == 1 else f"{repair.max_parallel} nodes"
    return f"node repair of {nodes} at a time" + (f" ({', '.join(actions)})" if actions else "")
