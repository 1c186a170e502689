"""A Kubernetes cluster as it follows from a profile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from config.design.kubernetes.steps import NODES, Release, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class AddonPlan:
    """An add-on of EKS with its version, its settings, and whether it needs nodes before it is well.

    `after` names add-ons that have to be well before, `identity` the one of its pods where that has another
    name. `version` None: the profile's `addon_versions`, the
    catalogue's, or else EKS's own default.
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
    """What one component brings into the cluster; a cluster is the sum of its parts."""

    steps: tuple[Step, ...] = ()
    addons: tuple[AddonPlan, ...] = ()
    identities: tuple[IdentityPlan, ...] = ()


def after_nodes(part: Part) -> Part:
    """The same with every release that waits until its pods run after the nodes that they run on."""
    return replace(part, steps=tuple(_after_nodes(step) for step in part.steps))


def _after_nodes(step: Step) -> Step:
    early = isinstance(step, Release) and step.wait and NODES not in step.after
    return replace(step, after=(*step.after, NODES)) if early else step


def summed(parts: Iterable[Part]) -> Part:
    """All parts as one, in their order; an add-on that several of them bring is the first one's."""
    listed = tuple(parts)
    addons = {addon.name: addon for part in reversed(listed) for addon in reversed(part.addons)}
    named = dict.fromkeys(addon.name for part in listed for addon in part.addons)
    return Part(
        steps=tuple(step for part in listed for step in part.steps),
        addons=tuple(addons[name] for name in named),
        identities=tuple(identity for part in listed for identity in part.identities),
    )
