"""Differences of permissions between two stacks, grouped for a reviewer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from scripts.cli.review.names import listed

from .grants import ANYONE, Grant, Kind, grants_of
from .stack import Stack

_MOST = 8
_POWERFUL = ("AdministratorAccess", "PowerUserAccess", "ClusterAdminPolicy")


@dataclass(frozen=True, slots=True, kw_only=True)
class IamChange:
    """Permissions that a holder gains or loses together: every action on every resource.

    `holder` is the logical id of a role, or of a resource with its own policy. `wildcards` describes wide
    permissions.
    """

    holder: str
    kind: Kind
    change: Literal["gained", "lost"]
    effect: str
    principals: tuple[str, ...]
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    condition: str | None
    wildcards: tuple[str, ...]

    @property
    def widens(self) -> bool:
        """Return whether the change allows more: a permission is gained, or a denial is lost."""
        limits = self.effect == "Deny" or self.kind == "boundary"
        return (self.change == "lost") is limits

    @property
    def is_wide(self) -> bool:
        """Return whether the change allows more through a wildcard."""
        return self.widens and bool(self.wildcards)

    @property
    def sentence(self) -> str:
        """Return the change in one line."""
        wildcards = ", ".join(wildcard for wildcard in self.wildcards if wildcard != ANYONE)
        wide = f" ({wildcards})" if self.is_wide and wildcards else ""
        text = f"{self.holder} {self._does()}{wide}"
        if not self.condition:
            return text
        which = "new" if self.change == "gained" else "removed"
        return f"{text}; the {which} statement has the condition {_coded([self.condition])}"

    def _does(self) -> str:
        gained, actions = self.change == "gained", _coded(self.actions)
        on = f" on {_coded(self.resources)}" if any(self.resources) else ""
        who = _coded(self.principals)
        match self.kind:
            case "managed-policy":
                noun = "policy" if len(self.actions) == 1 else "policies"
                return f"{'gains' if gained else 'loses'} the managed {noun} {actions}"
            case "boundary":
                return f"{'gains' if gained else 'loses'} the permissions boundary {actions}"
            case "cluster-access":
                return f"{'gains' if gained else 'loses'} the Kubernetes access policy {actions}{on}"
            case "trust" if self.effect != "Deny":
                verb = "gains" if gained else "loses"
                return f"{verb} the trust statement that lets {who} assume it ({actions})"
            case "resource-policy" | "trust":
                verb = "denies" if self.effect == "Deny" else "allows"
                return f"{'gains' if gained else 'loses'} a statement that {verb} {actions}{on} to {who}"
        if self.effect == "Deny":
            return f"is {'now' if gained else 'no longer'} denied {actions}{on}"
        return f"{'gains' if gained else 'loses'} {actions}{on}"


def _coded(names: Iterable[str]) -> str:
    return listed(
        ("all principals" if name == ANYONE else "`" + name.replace("`", "'") + "`" for name in names), _MOST
    )


def iam_changes(old: Stack, new: Stack) -> tuple[IamChange, ...]:
    """Return the differences: wide gains, then other gains, then losses, each sorted by holder."""
    before, after = grants_of(old), grants_of(new)
    found = [*_grouped(after - before, "gained"), *_grouped(before - after, "lost")]
    return tuple(sorted(found, key=lambda c: (not c.is_wide, not c.widens, c.holder, c.kind, c.actions)))


def _grouped(grants: Iterable[Grant], change: Literal["gained", "lost"]) -> Iterator[IamChange]:
    """Yield the changes; actions that have the same resources, principals and condition form one change."""
    places: defaultdict[Grant, set[tuple[str, str]]] = defaultdict(set)
    for grant in grants:
        places[grant._replace(principal="", resource="")].add((grant.principal, grant.resource))
    actions: defaultdict[tuple[Grant, frozenset[tuple[str, str]]], set[str]] = defaultdict(set)
    for grant, where in places.items():
        for together in _rectangles(where):
            actions[grant._replace(action=""), together].add(grant.action)
    for (grant, where_), doing in actions.items():
        yield IamChange(
            holder=grant.holder,
            kind=grant.kind,
            change=change,
            effect=grant.effect,
            principals=tuple(sorted({principal for principal, _ in where_})),
            actions=tuple(sorted(doing)),
            resources=tuple(sorted({resource for _, resource in where_})),
            condition=grant.condition or None,
            wildcards=tuple(_wildcards(grant, doing, where_)),
        )


def _rectangles(where: set[tuple[str, str]]) -> Iterator[frozenset[tuple[str, str]]]:
    """Yield groups of (principal, resource) pairs; a group has every pair of its principals and resources."""
    resources: defaultdict[str, set[str]] = defaultdict(set)
    for principal, resource in where:
        resources[principal].add(resource)
    alike: defaultdict[frozenset[str], set[str]] = defaultdict(set)
    for principal, of_it in resources.items():
        alike[frozenset(of_it)].add(principal)
    for of_them, principals in alike.items():
        yield frozenset((principal, resource) for principal in principals for resource in of_them)


def _wildcards(grant: Grant, actions: set[str], where: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the wildcards of a grant."""
    pairs = list(where)
    if any(principal.startswith(ANYONE) for principal, _ in pairs):
        yield ANYONE
    if grant.kind in ("managed-policy", "cluster-access"):
        if any(action.endswith((*_POWERFUL, "FullAccess")) for action in actions):
            yield "full access, according to the policy's name"
        return
    if grant.kind == "boundary":
        yield "the boundary's limits no longer apply"
        return
    if any(action == "*" or action.startswith("* but") for action in actions):
        yield "every action"
    elif services := sorted({action.partition(":")[0] for action in actions if action.endswith(":*")}):
        yield ", ".join(f"`{service}:*` is every action of {service}" for service in services)
    elif any("*" in action for action in actions):
        yield "actions by wildcard"
    own_policy = grant.kind == "resource-policy"  # in this policy, `*` is the resource itself
    if not own_policy and any(resource == "*" or resource.startswith("* but") for _, resource in pairs):
        yield "every resource"
