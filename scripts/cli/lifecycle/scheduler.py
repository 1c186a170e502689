"""What a cluster's scheduler is asked: take no new jobs, take them again, and what runs now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from scripts.cli.rehearsal.errors import RehearsalError


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What of a cluster: some groups, some nodes by the scheduler's own names, or with neither everything."""

    groups: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()

    @property
    def is_everything(self) -> bool:
        """Whether it is the whole cluster."""
        return not self.groups and not self.nodes

    def __str__(self) -> str:
        words = [f"group {name}" for name in self.groups] + [f"node {name}" for name in self.nodes]
        return ", ".join(words) or "the whole cluster"


EVERYTHING = Scope()
"""The whole cluster."""


@dataclass(frozen=True, kw_only=True)
class RunningJob:
    """A job that runs. `left` is what is left of its time limit, where the scheduler tells."""

    id: str
    name: str
    user: str
    nodes: int
    left: str = ""


class OutOfReachError(RehearsalError):
    """The scheduler cannot be asked from here; `commands` do by hand what it would have been asked."""

    def __init__(self, message: str, commands: tuple[str, ...]) -> None:
        super().__init__(message)
        self.commands = commands


class Scheduler(Protocol):
    """The scheduler of a cluster. Each call looks first: what is so already is not done again.

    Raises OutOfReachError where it cannot be asked from here.
    """

    def hold(self, scope: Scope) -> tuple[str, ...]:
        """Start no new jobs; what runs goes on. Gives what was changed, empty where it was so already."""

    def release(self, scope: Scope) -> tuple[str, ...]:
        """Start jobs again; gives what was changed. What others have drained stays so."""

    def running(self, scope: Scope) -> tuple[RunningJob, ...]:
        """The jobs that run."""

    def cancel(self, scope: Scope) -> None:
        """End the jobs that run: they get the scheduler's own signals and grace."""
