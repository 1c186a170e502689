"""Model of a Kubernetes cluster and its parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from config.design.kubernetes.steps import NODES, Release, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class AddonPlan:
    """An EKS add-on with its version and settings.

    `after_nodes`: the add-on becomes healthy only when nodes exist. `after` lists the add-ons that must be
    healthy before this one is installed. `identity` is the name of the pod identity if it differs from the
    add-on's name. If `version` is None, the version is that of the profile's `addon_versions`, the catalogue
    or EKS's default.
    """

    name: str
    version: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    after_nodes: bool = False
    after: tuple[str, ...] = ()
    identity: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityPlan:
    """A role for the pods of a service account (EKS Pod Identity), with managed policies and statements."""

    name: str
    namespace: str
    service_account: str
    managed_policies: tuple[str, ...] = ()
    statements: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Contents that one component adds to the cluster; a cluster combines all parts."""

    steps: tuple[Step, ...] = ()
    addons: tuple[AddonPlan, ...] = ()
    identities: tuple[IdentityPlan, ...] = ()


def after_nodes(part: Part) -> Part:
    """Return the part; its releases that wait for pods are installed after the nodes exist."""
    return replace(part, steps=tuple(_after_nodes(step) for step in part.steps))


def _after_nodes(step: Step) -> Step:
    early = isinstance(step, Release) and step.wait and NODES not in step.after
    return replace(step, after=(*step.after, NODES)) if early else step


def summed(parts: Iterable[Part]) -> Part:
    """Combine the parts into one, in order; if several parts have the same add-on, the first one is used."""
    listed = tuple(parts)
    addons = {addon.name: addon for part in reversed(listed) for addon in reversed(part.addons)}
    named = dict.fromkeys(addon.name for part in listed for addon in part.addons)
    return Part(
        steps=tuple(step for part in listed for step in part.steps),
        addons=tuple(addons[name] for name in named),
        identities=tuple(identity for part in listed for identity in part.identities),
    )
