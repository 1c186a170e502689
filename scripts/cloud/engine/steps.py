"""The steps of an operation: what happens to each resource when its turn comes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scripts.cloud.template.document import Template

from .failure import reason_of
from .resources import KEPT, ResourceWorker
from .stack import Resource, Stack, Undo
from .values import StackValues


class Applying:
    """Each resource becomes what the template says."""

    def __init__(
        self,
        worker: ResourceWorker,
        stack: Stack,
        template: Template,
        needs: Mapping[str, frozenset[str]],
        values: StackValues,
    ) -> None:
        self._worker, self._stack, self._template = worker, stack, template
        self._needs, self._values = needs, values

    def begin(self, name: str) -> float:
        """Create or change it."""
        return self._worker.begin_apply(name, self._template.resources[name], self._needs[name], self._values)

    def complete(self, name: str) -> None:
        """It is what the template says."""
        self._worker.applied(name)

    def fail(self, name: str, error: Exception) -> None:
        """It could not be made or changed."""
        status = "UPDATE_FAILED" if name in self._stack.resources else "CREATE_FAILED"
        self._worker.failed(name, self._template.resources[name]["Type"], status, reason_of(error))

    def cancel(self, name: str) -> None:
        """Another failed meanwhile."""
        self._worker.cancelled(name)


class Deleting:
    """Each resource goes, unless its policy keeps it. `forgiving` forgets what cannot be deleted."""

    def __init__(
        self,
        worker: ResourceWorker,
        resources: Mapping[str, Resource],
        kept: frozenset[str],
        *,
        forgiving: bool = False,
    ) -> None:
        self._worker, self._resources, self._kept, self._forgiving = worker, resources, kept, forgiving
        self.gone: set[str] = set()
        self._passed: set[str] = set()

    def begin(self, name: str) -> float:
        """Delete it, or pass it by."""
        if name in self._kept:
            self._worker.skip(self._resources[name])
            self._passed.add(name)
            return 0.0
        try:
            return self._worker.begin_delete(self._resources[name])
        except Exception as error:
            if not self._forgiving:
                raise
            self.fail(name, error)
            self._passed.add(name)
            return 0.0

    def complete(self, name: str) -> None:
        """It is gone."""
        if name not in self._passed:
            self._worker.deleted(self._resources[name])
        self.gone.add(name)

    def fail(self, name: str, error: Exception) -> None:
        """It is still there."""
        self._worker.not_deleted(self._resources[name], reason_of(error))

    def cancel(self, name: str) -> None:
        """Deletions go on when others fail: they are never cancelled."""
        raise AssertionError("deletions run isolated")


class Reverting:
    """Each resource that an update changed gets its former properties back, or its former self."""

    def __init__(self, worker: ResourceWorker, stack: Stack, steps: Mapping[str, list[Undo]]) -> None:
        self._worker, self._stack, self._steps = worker, stack, steps
        self.done: set[str] = set()

    def begin(self, name: str) -> float:
        """Take back what was done to it, the latest first."""
        seconds = 0.0
        for step in reversed(self._steps[name]):
            if step.before is None:
                continue
            if step.deleted_first:
                self._worker.discard(step.after)
                seconds += self._worker.begin_again(step.before)
            elif step.in_place:
                seconds += self._worker.begin_revert(step)
            else:
                self._stack.resources[name] = replace(step.before, status="UPDATE_IN_PROGRESS")
        return seconds

    def complete(self, name: str) -> None:
        """It is what it was."""
        self._worker.applied(name)
        self.done.add(name)

    def fail(self, name: str, error: Exception) -> None:
        """It could not be put back."""
        kind = self._steps[name][-1].after.type
        self._worker.failed(name, kind, "UPDATE_FAILED", reason_of(error))

    def cancel(self, name: str) -> None:
        """Reverting goes on when others fail: it is never cancelled."""
        raise AssertionError("reverting runs isolated")


def kept_by_policy(resources: Mapping[str, Resource]) -> frozenset[str]:
    """The names of what a deletion leaves behind."""
    return frozenset(name for name, resource in resources.items() if resource.deletion_policy in KEPT)
