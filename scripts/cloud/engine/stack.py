"""What CloudFormation remembers: stacks, their resources, their events and their change sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from scripts.cloud.template.document import Template

from .clock import Clock


def now() -> datetime:
    """The time that events carry."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class ResourceDrift:
    """How a resource differs from what the last deployment left: path, what it was, what it is."""

    status: str
    differences: tuple[tuple[str, Any, Any], ...] = ()
    checked: datetime = field(default_factory=now)


@dataclass(frozen=True)
class Span:
    """What one resource took of an operation, in seconds of the simulated clock."""

    logical_id: str
    type: str
    action: str
    begin_s: float
    end_s: float
    outcome: str


@dataclass(frozen=True)
class Resource:
    """A resource that exists, with the properties it was last given."""

    logical_id: str
    type: str
    physical_id: str
    properties: Mapping[str, Any]
    attributes: Mapping[str, Any]
    needs: frozenset[str] = frozenset()
    deletion_policy: str = "Delete"
    replace_policy: str = "Delete"
    metadata: Any = None
    status: str = "CREATE_COMPLETE"
    reason: str | None = None
    updated: datetime = field(default_factory=now)
    observed: Mapping[str, Any] | None = None
    drift: ResourceDrift | None = None


@dataclass(frozen=True)
class Undo:
    """One step of an operation, kept until it is over: what was there before, what is there now.

    `deleted_first`: what was there had to go before what is there now could be made.
    """

    before: Resource | None
    after: Resource
    deleted_first: bool = False

    @property
    def in_place(self) -> bool:
        """Whether the step changed a resource instead of making one."""
        return self.before is not None and self.before.physical_id == self.after.physical_id


@dataclass(frozen=True)
class Event:
    """One line of a stack's history."""

    stack_id: str
    stack_name: str
    logical_id: str
    physical_id: str
    type: str
    status: str
    reason: str | None
    token: str | None
    elapsed_s: float = 0.0
    id: str = field(default_factory=lambda: str(uuid4()))
    timestamp: datetime = field(default_factory=now)


@dataclass(frozen=True)
class StackDrift:
    """One run of drift detection."""

    id: str
    status: str
    drifted: int
    checked: datetime = field(default_factory=now)


@dataclass
class Stack:
    """A stack: what is deployed, and what happened to it."""

    name: str
    id: str
    region: str
    account_id: str
    status: str
    template: Template | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    given_parameters: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    capabilities: list[str] = field(default_factory=list)
    role_arn: str | None = None
    resources: dict[str, Resource] = field(default_factory=dict)
    outputs: list[dict[str, Any]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    reason: str | None = None
    protected: bool = False
    disable_rollback: bool = False
    policy: str | None = None
    token: str | None = None
    imports: set[str] = field(default_factory=set)
    generations: dict[str, int] = field(default_factory=dict)
    undo: list[Undo] = field(default_factory=list)
    failed: dict[str, Resource] = field(default_factory=dict)
    clock: Clock = field(default_factory=Clock)
    timeline: list[Span] = field(default_factory=list)
    cancelled: bool = False
    retain_except_on_create: bool = False
    drift: StackDrift | None = None
    created: datetime = field(default_factory=now)
    updated: datetime | None = None
    deleted: datetime | None = None

    def record(
        self, status: str, reason: str | None = None, *, resource: tuple[str, str, str] | None = None
    ) -> None:
        """Add an event: of the stack itself, or of a resource (logical id, physical id, type)."""
        logical_id, physical_id, kind = resource or (self.name, self.id, "AWS::CloudFormation::Stack")
        when = now()
        if self.events:  # the CDK CLI orders events by whole milliseconds
            when = max(when, self.events[-1].timestamp + timedelta(milliseconds=1))
        self.events.append(
            Event(
                self.id,
                self.name,
                logical_id,
                physical_id,
                kind,
                status,
                reason,
                self.token,
                elapsed_s=self.clock.elapsed_s,
                timestamp=when,
            )
        )

    def enter(self, status: str, reason: str | None = None) -> None:
        """Change the stack's own status."""
        self.status, self.reason = status, reason
        self.record(status, reason)

    def start(self, token: str | None, pace: float | None) -> None:
        """A new operation begins: its clock stands at nought."""
        self.token, self.clock = token, Clock(pace)
        self.timeline, self.cancelled = [], False

    def needs_of(self, logical_id: str) -> frozenset[str]:
        """What a resource stands on, as far as it is or was there."""
        resource = self.resources.get(logical_id) or self.failed.get(logical_id)
        return resource.needs if resource else frozenset()

    def shown_resources(self) -> dict[str, Resource]:
        """What the API lists: resources as they stand, and those that failed and wait for the next try."""
        return {**self.resources, **self.failed}

    @property
    def busy(self) -> bool:
        """Whether an operation is under way."""
        return self.status.endswith("_IN_PROGRESS") and self.status != "REVIEW_IN_PROGRESS"

    @property
    def exports(self) -> dict[str, str]:
        """Export name to value."""
        return {o["ExportName"]: o["OutputValue"] for o in self.outputs if "ExportName" in o}


@dataclass(frozen=True)
class Detail:
    """One property that a change set says will change. `cause`: the resource that it follows."""

    path: tuple[str, ...]
    recreation: str
    kind: str
    before: Any
    after: Any
    cause: str | None = None


@dataclass(frozen=True)
class Change:
    """What an update will do to one resource. `replacement` as the API says it: True, False, Conditional."""

    action: str
    logical_id: str
    type: str
    physical_id: str | None = None
    replacement: str = "False"
    details: tuple[Detail, ...] = ()
    policy_action: str | None = None
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None


@dataclass
class ChangeSet:
    """A deployment that was asked for and not yet made."""

    name: str
    id: str
    stack: Stack
    kind: str
    template: Template
    parameters: dict[str, Any]
    given_parameters: dict[str, str]
    tags: dict[str, str]
    capabilities: list[str]
    role_arn: str | None
    description: str | None
    changes: list[Change]
    policy_during_update: str | None = None
    retain_except_on_create: bool = False
    status: str = "CREATE_COMPLETE"
    execution_status: str = "AVAILABLE"
    reason: str | None = None
    created: datetime = field(default_factory=now)
