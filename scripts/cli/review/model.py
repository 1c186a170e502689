"""Data of a review: every change of every resource, and the findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from config.diagnostics import Diagnostic
from scripts.cloud.template.updates import Effect, Topic

from .differences.iam import IamChange
from .differences.money import Costs, QuotaChange
from .differences.network import NetworkChange
from .waivers import WaiverChange


class Action(StrEnum):
    """The action of CloudFormation on a resource, the most dangerous first."""

    REFUSED = "refused"
    REPLACE = "replace"
    DELETE = "delete"
    MAY_REPLACE = "may-replace"
    INTERRUPTION = "interruption"
    RETAIN = "retain"
    IN_PLACE = "in-place"
    ADD = "add"
    UNTOUCHED = "untouched"


class Policy(StrEnum):
    """The fate of the old resource when it is deleted or replaced."""

    DELETE = "delete"
    RETAIN = "retain"
    SNAPSHOT = "snapshot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One property that differs.

    `reason`, `source` and `hint` are set if more is known than the resource's schema states. In `path`, items
    of unordered lists have names, as in `InstanceGroups/train/InstanceCount`. A value that is known only
    after the deployment is `${LogicalId.Attribute}`.
    """

    path: tuple[str, ...]
    before: Any
    after: Any
    effect: Effect
    reason: str | None = None
    source: str | None = None
    hint: str | None = None
    topic: Topic | None = None
    because: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the path as text."""
        return "/".join(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The change of one resource.

    `policy` is the fate of the old resource when it is deleted or replaced. `attributes` are changed
    attributes that CloudFormation does not send to the service, such as DependsOn; if only attributes change,
    the resource does not change. `variant` is the type of a file system. `because` names the new resources
    that the resource refers to. `faults` are the problems of all new properties, including unchanged
    properties.
    """

    logical_id: str
    type: str
    layer: str
    action: Action
    edits: tuple[Edit, ...] = ()
    attributes: tuple[str, ...] = ()
    policy: Policy | None = None
    variant: str | None = None
    because: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def properties(self) -> tuple[str, ...]:
        """Return the paths of the properties that differ."""
        return tuple(edit.name for edit in self.edits)

    @property
    def reason(self) -> str | None:
        """Return the reason of the action; None if it follows only from the resource's schema."""
        reasons = (*(edit.reason for edit in self.deciding if edit.reason), *self.faults)
        return next(iter(reasons), None)

    @property
    def source(self) -> str | None:
        """Return the source of the reason; None if there is none."""
        return next((edit.source for edit in self.deciding if edit.source), None)

    @property
    def deciding(self) -> tuple[Edit, ...]:
        """Return the edits that determine the action."""
        return tuple(edit for edit in self.edits if edit.effect == _EFFECTS.get(self.action))


_EFFECTS: Mapping[Action, Effect] = {
    Action.REFUSED: Effect.REFUSED,
    Action.REPLACE: Effect.REPLACEMENT,
    Action.MAY_REPLACE: Effect.MAY_REPLACE,
    Action.INTERRUPTION: Effect.INTERRUPTION,
    Action.IN_PLACE: Effect.IN_PLACE,
}
ACTIONS: Mapping[Effect, Action] = {effect: action for action, effect in _EFFECTS.items()}
"""Maps the effect on a property to the action on its resource."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The review of one stack: its changes, the most dangerous first, findings, and waivers that differ.

    `iam` and `network` are the differences of permissions and network access between the two templates.
    `costs` and `quotas` compare the two profiles, and `gone` has the findings of OLD that NEW no longer has;
    all three are empty if the inputs are not profiles. `profile` is the profile's file if two revisions are
    reviewed.
    """

    region: str
    changes: tuple[Change, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    waivers: tuple[WaiverChange, ...] = ()
    iam: tuple[IamChange, ...] = ()
    network: tuple[NetworkChange, ...] = ()
    costs: Costs | None = None
    quotas: tuple[QuotaChange, ...] = ()
    gone: tuple[Diagnostic, ...] = ()
    profile: str | None = None
    stack: str | None = None
    status: str = "changed"
    counts: Mapping[str, int] = field(default_factory=dict)
