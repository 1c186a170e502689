"""The steps of an operation: deployment, deletion and revert of each resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scripts.cloud.template.document import Template

from .failure import reason_of
from .resources import KEPT, ResourceWorker
from .stack import Resource, Stack, Undo
from .values import StackValues


class Applying:
    """Deploys each resource of a template."""

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
        """Create or update the resource."""
        return self._worker.begin_apply(name, self._template.resources[name], self._needs[name], self._values)

    def complete(self, name: str) -> None:
        """Record that the resource was deployed."""
        self._worker.applied(name)

    def fail(self, name: str, error: Exception) -> None:
        """Record that the resource could not be created or updated."""
        status = "UPDATE_FAILED" if name in self._stack.resources else "CREATE_FAILED"
        self._worker.failed(name, self._template.resources[name]["Type"], status, reason_of(error))

    def cancel(self, name: str) -> None:
        """Record that the step was cancelled."""
        self._worker.cancelled(name)


class Deleting:
    """Deletes each resource that its policy does not retain.

    With `forgiving`, failed deletions are ignored.
    """

    def __init__(
        self,
        worker: ResourceWorker,
        resources: Mapping[str, Resource],
        kept: frozenset[str],
        *,
        forgiving: bool = False,
    ) -> None:
        self._worker, self._resources, self._kept, self._forgiving = worker, resources, kept, forgiving
        self.deleted: set[str] = set()
        self._passed: set[str] = set()

    def begin(self, name: str) -> float:
        """Delete the resource, or retain it."""
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
        """Record that the resource was deleted or retained."""
        if name not in self._passed:
            self._worker.deleted(self._resources[name])
        self.deleted.add(name)

    def fail(self, name: str, error: Exception) -> None:
        """Record that the resource could not be deleted."""
        self._worker.not_deleted(self._resources[name], reason_of(error))

    def cancel(self, name: str) -> None:
        """Deletions continue after a failure and are never cancelled."""
        raise AssertionError("deletions run isolated")


class Reverting:
    """Restores each resource that an update changed or replaced."""

    def __init__(self, worker: ResourceWorker, stack: Stack, steps: Mapping[str, list[Undo]]) -> None:
        self._worker, self._stack, self._steps = worker, stack, steps
        self.done: set[str] = set()

    def begin(self, name: str) -> float:
        """Revert the changes of the resource, the latest first."""
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
        """Record that the resource was restored."""
        self._worker.applied(name)
        self.done.add(name)

    def fail(self, name: str, error: Exception) -> None:
        """Record that the resource could not be restored."""
        kind = self._steps[name][-1].after.type
        self._worker.failed(name, kind, "UPDATE_FAILED", reason_of(error))

    def cancel(self, name: str) -> None:
        """Reverts continue after a failure and are never cancelled."""
        raise AssertionError("reverting runs isolated")


def kept_by_policy(resources: Mapping[str, Resource]) -> frozenset[str]:
    """Return the names of the resources that a deletion retains."""
    return frozenset(name for name, resource in resources.items() if resource.deletion_policy in KEPT)
