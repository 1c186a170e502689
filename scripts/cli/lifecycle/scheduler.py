"""Interface to a cluster's scheduler: stop and start new jobs, list and cancel running jobs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from scripts.cli.rehearsal.errors import RehearsalError


@dataclass(frozen=True, kw_only=True)
class Scope:
    """A part of a cluster: groups, nodes by the scheduler's names, or everything if both are empty."""

    groups: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()

    @property
    def is_everything(self) -> bool:
        """Return whether the scope is the whole cluster."""
        return not self.groups and not self.nodes

    def __str__(self) -> str:
        parts = [f"group {name}" for name in self.groups] + [f"node {name}" for name in self.nodes]
        return ", ".join(parts) or "the whole cluster"


EVERYTHING = Scope()
"""The whole cluster."""


@dataclass(frozen=True, kw_only=True)
class RunningJob:
    """A running job. `left` is its remaining run time, empty if the scheduler does not report it."""

    id: str
    name: str
    user: str
    nodes: int
    left: str = ""


class OutOfReachError(RehearsalError):
    """The scheduler cannot be reached from here; `commands` are the equivalent manual commands."""

    def __init__(self, message: str, commands: tuple[str, ...]) -> None:
        super().__init__(message)
        self.commands = commands


class Scheduler(Protocol):
    """The scheduler of a cluster.

    Each call reads the current state first, and changes only objects that are not in the requested state.

    Raises OutOfReachError if the scheduler cannot be reached from here.
    """

    def hold(self, scope: Scope) -> tuple[str, ...]:
        """Stop new jobs without stopping running ones; returns the changed objects."""

    def release(self, scope: Scope) -> tuple[str, ...]:
        """Start jobs again; returns the changed objects. Objects that another user drained do not change."""

    def running(self, scope: Scope) -> tuple[RunningJob, ...]:
        """Return the running jobs."""

    def cancel(self, scope: Scope) -> None:
        """Cancel the running jobs, with the scheduler's signals and grace period."""
