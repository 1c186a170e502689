"""The EKS cluster: its name, subnets, endpoint and access entries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from config.design.names import replaceable_name
from config.design.network.plan import NetworkPlan
from config.design.zones import is_local_zone
from config.profile.kubernetes.base import Kubernetes
from config.profile.kubernetes.cluster import (
    Access,
    AccessPolicy,
    ExistingSecretsKey,
    LogType,
    NewSecretsKey,
    PublicEndpoint,
)
from config.profile.model import Profile

POLICIES: Mapping[AccessPolicy, str] = {
    "cluster-admin": "AmazonEKSClusterAdminPolicy",
    "admin": "AmazonEKSAdminPolicy",
    "admin-view": "AmazonEKSAdminViewPolicy",
    "edit": "AmazonEKSEditPolicy",
    "view": "AmazonEKSViewPolicy",
}
"""Names of EKS access policies
(https://docs.aws.amazon.com/eks/latest/userguide/access-policy-permissions.html)."""

_LOGS: Mapping[LogType, str] = {"controller-manager": "controllerManager"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyPlan:
    """An EKS access policy by name; `namespaces` is empty for the whole cluster."""

    name: str
    namespaces: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessPlan:
    """All rights of one role or user, because EKS accepts only one access entry for each principal."""

    principal: str
    policies: tuple[PolicyPlan, ...]
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlPlanePlan:
    """Properties of the EKS cluster.

    `subnets` lists names of subnets in the network plan; none is in a Local Zone. `public_cidrs` is None if
    the API is reachable only from inside the VPC. `secrets_key_arn` is an existing KMS key; with
    `new_secrets_key` the stack creates a key. `log_types` are the names of control plane logs in the EKS API.
    """

    cluster_name: str
    kubernetes_version: str
    subnets: tuple[str, ...]
    public_cidrs: tuple[str, ...] | None
    new_secrets_key: bool
    secrets_key_arn: str | None
    log_types: tuple[str, ...]
    log_retention_days: int
    support: Literal["STANDARD", "EXTENDED"]
    deletion_protection: bool
    access: tuple[AccessPlan, ...]
    deployer_access: bool


def plan_control_plane(
    profile: Profile,
    data_profile: Profile | None,
    network: NetworkPlan,
    kubernetes: Kubernetes,
    people: tuple[Access, ...] = (),
) -> ControlPlanePlan:
    """Return the EKS cluster of a profile; `people` are access entries of users."""
    subnets = [subnet for subnet in network.private_subnets if not is_local_zone(subnet.zone)]
    endpoint, key = kubernetes.endpoint, kubernetes.secrets_key
    logs = kubernetes.control_plane_logs
    zones = sorted(subnet.zone for subnet in subnets)
    return ControlPlanePlan(
        cluster_name=replaceable_name(profile.name, _create_only(data_profile, network, zones, kubernetes)),
        kubernetes_version=kubernetes.kubernetes_version,
        subnets=tuple(subnet.name for subnet in subnets),
        public_cidrs=tuple(sorted(set(endpoint.cidrs))) if isinstance(endpoint, PublicEndpoint) else None,
        new_secrets_key=isinstance(key, NewSecretsKey),
        secrets_key_arn=key.key_arn if isinstance(key, ExistingSecretsKey) else None,
        log_types=tuple(sorted({_LOGS.get(kind, kind) for kind in logs.types})),
        log_retention_days=logs.retention_days,
        support="STANDARD" if kubernetes.support == "standard" else "EXTENDED",
        deletion_protection=kubernetes.deletion_protection,
        access=access_of((*kubernetes.access, *people)),
        deployer_access=kubernetes.deployer_access,
    )


def access_of(access: tuple[Access, ...]) -> tuple[AccessPlan, ...]:
    """Return one access entry for each principal, because EKS rejects a second entry for a principal."""
    found: dict[str, list[Access]] = {}
    for entry in access:
        found.setdefault(entry.principal, []).append(entry)
    return tuple(_entry(principal, entries) for principal, entries in sorted(found.items()))


def _entry(principal: str, entries: list[Access]) -> AccessPlan:
    policies: dict[str, set[str] | None] = {}
    for entry in entries:
        if entry.policy is None:
            continue
        name = POLICIES[entry.policy]
        known = policies.get(name, set())
        policies[name] = known | set(entry.namespaces) if known is not None and entry.namespaces else None
    return AccessPlan(
        principal=principal,
        policies=tuple(
            PolicyPlan(name=name, namespaces=tuple(sorted(namespaces or ())))
            for name, namespaces in sorted(policies.items())
        ),
        groups=tuple(sorted({group for entry in entries for group in entry.groups})),
    )


def _create_only(
    data_profile: Profile | None, network: NetworkPlan, zones: list[str], kubernetes: Kubernetes
) -> list[Any]:
    """Return the values whose change replaces the cluster: VPC, zones of the subnets, and secrets key.

    Source: https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html (subnets can be changed within
    the VPC and the zones of the first subnets), and the schema of AWS::EKS::Cluster.
    """
    key = kubernetes.secrets_key
    secrets = key.key_arn if isinstance(key, ExistingSecretsKey) else key and key.kind
    place = [network.existing_vpc_id, network.vpc_cidr, zones]
    return [data_profile.name if data_profile else None, place, secrets]
