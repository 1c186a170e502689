"""State of CloudFormation: stacks, resources, events and change sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from scripts.cloud.template.document import Template

from .clock import Clock


def now() -> datetime:
    """Return the current time, for events."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class ResourceDrift:
    """The drift of a resource. A difference has a path, the deployed value and the current value."""

    status: str
    differences: tuple[tuple[str, Any, Any], ...] = ()
    checked: datetime = field(default_factory=now)


@dataclass(frozen=True)
class Span:
    """The time span of one resource in an operation, in seconds of the simulated clock."""

    logical_id: str
    type: str
    action: str
    begin_s: float
    end_s: float
    outcome: str


@dataclass(frozen=True)
class Resource:
    """A deployed resource with its last properties."""

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
    """A resource before and after one step of an operation; a rollback uses it to undo the step.

    If `deleted_first` is True, the old resource was deleted before the new one was created.
    """

    before: Resource | None
    after: Resource
    deleted_first: bool = False

    @property
    def in_place(self) -> bool:
        """Whether the step updated a resource in place, instead of creating one."""
        return self.before is not None and self.before.physical_id == self.after.physical_id


@dataclass(frozen=True)
class Event:
    """A stack event."""

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
    """The result of a drift detection."""

    id: str
    status: str
    drifted: int
    checked: datetime = field(default_factory=now)


@dataclass
class Stack:
    """A stack: its deployed resources, its events and its current operation."""

    name: str
    id: str
    region: str
    account_id: str
    status: str
    template: Template | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    parameter_values: dict[str, str] = field(default_factory=dict)
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
        """Add an event of the stack itself, or of a resource (logical id, physical id, type)."""
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
        """Change the stack's status."""
        self.status, self.reason = status, reason
        self.record(status, reason)

    def start(self, token: str | None, pace: float | None) -> None:
        """Start an operation with a clock at 0."""
        self.token, self.clock = token, Clock(pace)
        self.timeline, self.cancelled = [], False

    def needs_of(self, logical_id: str) -> frozenset[str]:
        """Return the dependencies of a resource that is deployed or whose creation failed."""
        resource = self.resources.get(logical_id) or self.failed.get(logical_id)
        return resource.needs if resource else frozenset()

    def shown_resources(self) -> dict[str, Resource]:
        """Return the resources that the API lists: deployed resources, and failed resources to retry."""
        return {**self.resources, **self.failed}

    @property
    def busy(self) -> bool:
        """Whether an operation is in progress."""
        return self.status.endswith("_IN_PROGRESS") and self.status != "REVIEW_IN_PROGRESS"

    @property
    def exports(self) -> dict[str, str]:
        """Export name to value."""
        return {o["ExportName"]: o["OutputValue"] for o in self.outputs if "ExportName" in o}


@dataclass(frozen=True)
class Detail:
    """One property that will change according to a change set.

    `cause` is the resource that causes the change.
    """

    path: tuple[str, ...]
    recreation: str
    kind: str
    before: Any
    after: Any
    cause: str | None = None


@dataclass(frozen=True)
class Change:
    """The change of one resource. `replacement` is the API's value: True, False or Conditional."""

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
    """A change set, executed or not."""

    name: str
    id: str
    stack: Stack
    kind: str
    template: Template
    parameters: dict[str, Any]
    parameter_values: dict[str, str]
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
