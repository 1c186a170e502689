"""What a review says: every change of every resource, and what is wrong with it."""

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
    """What CloudFormation does with a resource, the most dangerous first."""

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
    """What happens to the old resource when it is deleted or replaced."""

    DELETE = "delete"
    RETAIN = "retain"
    SNAPSHOT = "snapshot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One property that differs. `reason`, `source` and `hint` are set where more is known than the schema.

    `path` has the names of list items where the list has no order: `InstanceGroups/train/InstanceCount`. A
    value that CloudFormation knows only when it deploys stands as `${LogicalId.Attribute}`.
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
        """The path as text."""
        return "/".join(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What becomes of one resource.

    `policy` says what becomes of the old one when it is deleted or replaced. `attributes` are those that
    CloudFormation keeps beside the properties (DeletionPolicy, DependsOn, Metadata): a change of them alone
    touches nothing. `variant` says which of several kinds a file system is. `because` names the new resources
    that this one follows, `faults` what is refused of the properties as they will be, whatever they were.
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
        """The paths of the properties that differ."""
        return tuple(edit.name for edit in self.edits)

    @property
    def reason(self) -> str | None:
        """Why the action is what it is, where more is known than the schema."""
        reasons = (*(edit.reason for edit in self.deciding if edit.reason), *self.faults)
        return next(iter(reasons), None)

    @property
    def source(self) -> str | None:
        """Who says so."""
        return next((edit.source for edit in self.deciding if edit.source), None)

    @property
    def deciding(self) -> tuple[Edit, ...]:
        """The edits that make the action what it is."""
        return tuple(edit for edit in self.edits if edit.effect == _EFFECTS.get(self.action))


_EFFECTS: Mapping[Action, Effect] = {
    Action.REFUSED: Effect.REFUSED,
    Action.REPLACE: Effect.REPLACEMENT,
    Action.MAY_REPLACE: Effect.MAY_REPLACE,
    Action.INTERRUPTION: Effect.INTERRUPTION,
    Action.IN_PLACE: Effect.IN_PLACE,
}
ACTIONS: Mapping[Effect, Action] = {effect: action for action, effect in _EFFECTS.items()}
"""What an effect on a property makes of the resource."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One stack: its changes, the most dangerous first, its diagnostics, and the waivers that differ.

    `iam` and `network` say what the two templates let differently; `costs` and `quotas` what the two profiles
    cost and need, and `gone` what the rules found of OLD and not of NEW: without profiles there is none of
    them. `profile` is the file, where the profiles of two revisions are reviewed.
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
