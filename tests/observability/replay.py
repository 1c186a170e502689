"""Replay of recorded events through the repair policy."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from config.catalog.observability.xids import Decoded, xids
from config.design.nodes.repair.policy import Action, Condition, RepairPolicy, default_conditions

Outcome = Literal["drained", "rebooted", "replaced", "reported"]
_OUTCOMES: Mapping[Action, Outcome] = {
    "reset": "rebooted",
    "reboot": "rebooted",
    "replace": "replaced",
    "report": "reported",
}
OUT_S: Mapping[Outcome, int] = {"rebooted": 15 * 60, "replaced": 60 * 60}
"""Assumed duration of each repair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A fault of a node; `cleared` is the time at which it ended without repair.

    For an XID, `decoded` is the decoded NVLink 5 message, and `named` is the action in the message of XID
    154.
    """

    at: datetime
    node: str
    group: str
    condition: str
    cleared: datetime | None = None
    decoded: Decoded | None = None
    named: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """Events, end of the reservation of each group, and time at which each node became idle."""

    events: tuple[Event, ...]
    ends: Mapping[str, datetime] = field(default_factory=dict, hash=False)
    idle: Mapping[str, datetime] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """An action of the policy."""

    at: datetime
    node: str
    outcome: Outcome
    condition: str
    why: str


def read_recording(document: Mapping[str, Any]) -> Recording:
    """Return the recording of a YAML file with `events`, and `ends` and `idle` by name."""
    return Recording(
        events=tuple(_event(row) for row in document["events"]),
        ends={name: _moment(text) for name, text in document.get("ends", {}).items()},
        idle={name: _moment(text) for name, text in document.get("idle", {}).items()},
    )


def replayed(recording: Recording, policy: RepairPolicy) -> tuple[Step, ...]:
    """Return all steps in chronological order; a node that waits for its repair is drained."""
    run = _Run(recording=recording, policy=policy)
    for event in sorted(recording.events, key=lambda one: (one.at, one.node, one.condition)):
        run.later(event.at, event)
    run.play()
    return tuple(sorted(run.steps, key=lambda step: (step.at, step.node)))


@dataclass
class _Run:
    """State of the replay: end of each current repair, and time of past repairs by fault.

    `queue` contains future items: an event without an action, or a repair that is due.
    """

    recording: Recording
    policy: RepairPolicy
    steps: list[Step] = field(default_factory=list)
    queue: list[tuple[datetime, int, Event, Action | None]] = field(default_factory=list)
    count: int = 0
    waiting: set[str] = field(default_factory=set)
    out: dict[str, tuple[str, datetime]] = field(default_factory=dict)
    repaired: dict[tuple[str, str], datetime] = field(default_factory=dict)

    def later(self, at: datetime, event: Event, action: Action | None = None) -> None:
        """Add an item at this time, after earlier items of the same time."""
        self.count += 1
        heapq.heappush(self.queue, (at, self.count, event, action))

    def play(self) -> None:
        """Process all items in order."""
        while self.queue:
            at, _, event, action = heapq.heappop(self.queue)
            if action is None:
                self._see(event)
            else:
                self._repair(at, event, action)

    def _see(self, event: Event) -> None:
        """Report the fault, or drain the node until its repair; ignore nodes in repair."""
        action, condition = self._wanted(event)
        if action == "report":
            self._add(event.at, event, "reported", "the policy tells of it alone")
            return
        if event.node in self.waiting or self._is_out(event.node, event.at):
            return
        due = event.at + timedelta(seconds=condition.wait_s)
        if condition.idle:
            due = max(due, self.recording.idle.get(event.node, due))
        else:
            self.waiting.add(event.node)
            self._add(event.at, event, "drained", f"waits {condition.wait_s // 60} minutes for its repair")
        self.later(due, event, action)

    def _repair(self, at: datetime, event: Event, action: Action) -> None:
        """Repair the node, unless the fault is over, repaired or too late, or others are in repair."""
        if self._is_out(event.node, at) or self._is_done(event):
            self.waiting.discard(event.node)
            return
        if event.cleared and event.cleared <= at:
            self._add(event.cleared, event, "reported", "it was over before its repair")
            self.waiting.discard(event.node)
            return
        others = [
            until
            for node, (group, until) in self.out.items()
            if group == event.group and node != event.node and until > at
        ]
        if len(others) >= self.policy.max_nodes_at_once:
            self.later(min(others), event, action)
            return
        self.waiting.discard(event.node)
        end = self.recording.ends.get(event.group)
        hours = self.policy.none_in_last_hours
        if end is not None and at > end - timedelta(hours=hours):
            self._add(at, event, "reported", f"the block ends within {hours} hours")
            return
        again = self._again(event)
        outcome = _OUTCOMES[action]
        self._add(at, event, outcome, "it came again within a day" if again else f"the policy says {action}")
        self.out[event.node] = (event.group, at + timedelta(seconds=OUT_S[outcome]))
        self.repaired[event.node, event.condition] = at

    def _is_out(self, node: str, at: datetime) -> bool:
        return node in self.out and self.out[node][1] > at

    def _is_done(self, event: Event) -> bool:
        """Return whether the node was repaired after the event, as a fault can repeat until it is idle."""
        return any(node == event.node and at >= event.at for (node, _), at in self.repaired.items())

    def _wanted(self, event: Event) -> tuple[Action, Condition]:
        condition = self.policy.conditions.get(event.condition) or _unknown(event.condition)
        if self._again(event) and condition.again is not None:
            return condition.again, condition
        if event.condition.startswith("xid-") and event.condition not in self.policy.declared:
            code = int(event.condition.removeprefix("xid-"))
            said = xids().action(code, decoded=event.decoded, named=event.named)
            if said != condition.action:
                return said, default_conditions()["recovery-action"]
        return condition.action, condition

    def _again(self, event: Event) -> bool:
        before = self.repaired.get((event.node, event.condition))
        return before is not None and timedelta() < event.at - before <= timedelta(days=1)

    def _add(self, at: datetime, event: Event, outcome: Outcome, why: str) -> None:
        self.steps.append(Step(at=at, node=event.node, outcome=outcome, condition=event.condition, why=why))


def timeline(steps: Iterable[Step]) -> str:
    """Return the steps as readable lines: time, node, action, reason."""
    return "\n".join(
        f"{step.at:%Y-%m-%dT%H:%MZ} {step.node} {step.outcome} for {step.condition}: {step.why}"
        for step in steps
    )


def _unknown(name: str) -> Condition:
    return Condition(name=name, meaning="a condition that the policy does not have", action="report")


def _event(row: Mapping[str, Any]) -> Event:
    cleared = row.get("cleared")
    return Event(
        at=_moment(row["at"]),
        node=row["node"],
        group=row.get("group", row["node"].rpartition("-")[0]),
        condition=row["condition"],
        cleared=_moment(cleared) if cleared else None,
        decoded=row.get("decoded"),
        named=row.get("named"),
    )


def _moment(text: Any) -> datetime:
    """Return a time in UTC as in profiles: 2027-01-18T11:30Z."""
    return datetime.strptime(str(text), "%Y-%m-%dT%H:%MZ").replace(tzinfo=UTC)
