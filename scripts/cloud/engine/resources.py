"""One resource at a time: create, change, replace or delete it, and record the events."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from scripts.cloud.resources.base import Context, Created, Existing, Model
from scripts.cloud.resources.registry import model_of
from scripts.cloudformation.errors import ResourceFailedError
from scripts.cloudformation.functions import resolve
from scripts.cloudformation.provider_schemas import schema_of
from scripts.cloudformation.schema import NO_SCHEMA, validated
from scripts.cloudformation.updates import Effect, effect_of, property_changes, refusal

from .account import Account
from .stack import Resource, Stack, Undo, now
from .values import StackValues

KEPT = ("Retain", "RetainExceptOnCreate")


class ResourceWorker:
    """Makes the resources of one stack what a template says."""

    def __init__(self, account: Account, stack: Stack, tags: Mapping[str, str]) -> None:
        self._account, self._stack, self._tags = account, stack, tags

    def apply(
        self, logical_id: str, declared: Mapping[str, Any], needs: frozenset[str], values: StackValues
    ) -> None:
        """Create the resource, or bring it to its new properties."""
        existing = self._stack.resources.get(logical_id)
        if existing is None:
            self._create(logical_id, declared, needs, values, before=None)
            return
        properties = self._properties(declared, values)
        changes = property_changes(self._account.region, existing.type, existing.properties, properties)
        effect = effect_of(changes)
        if effect is Effect.REPLACEMENT:
            self._create(logical_id, declared, needs, values, before=existing)
        elif effect is Effect.REFUSED:
            raise ResourceFailedError(refusal(existing.type, changes))
        elif changes:
            self._update(existing, declared, needs, properties)
        else:
            self._stack.resources[logical_id] = replace(existing, needs=needs, **_policies(declared))

    def undo(self, step: Undo) -> None:
        """Take back one step of an operation."""
        if step.in_place and step.before is not None:
            self._record(step.before, "UPDATE_IN_PROGRESS")
            attributes = model_of(step.after.type).update(
                self._context(step.after.logical_id), _existing(step.after), step.before.properties
            )
            self._stack.resources[step.before.logical_id] = replace(step.before, attributes=attributes)
            self._record(step.before, "UPDATE_COMPLETE")
        elif step.after.deletion_policy == "Retain":
            self._record(step.after, "DELETE_SKIPPED")
        else:
            self.delete(step.after)

    def delete(self, resource: Resource) -> None:
        """Remove a resource from its service."""
        self._record(resource, "DELETE_IN_PROGRESS")
        model_of(resource.type).delete(self._context(resource.logical_id), _existing(resource))
        self._record(resource, "DELETE_COMPLETE")

    def skip(self, resource: Resource) -> None:
        """Leave a resource where it is: the stack forgets it."""
        self._record(resource, "DELETE_SKIPPED")

    def failed(self, logical_id: str, kind: str, status: str, reason: str) -> None:
        """Record a failure."""
        existing = self._stack.resources.get(logical_id)
        physical_id = existing.physical_id if existing else ""
        self._stack.record(status, reason, resource=(logical_id, physical_id, kind))

    def _create(
        self,
        logical_id: str,
        declared: Mapping[str, Any],
        needs: frozenset[str],
        values: StackValues,
        before: Resource | None,
    ) -> None:
        kind = declared["Type"]
        starting = "Requested update requires the creation of a new physical resource" if before else None
        progress, done = ("UPDATE", "UPDATE") if before else ("CREATE", "CREATE")
        self._stack.record(f"{progress}_IN_PROGRESS", starting, resource=(logical_id, "", kind))
        if kind not in NO_SCHEMA:
            schema_of(self._account.region, kind)
        model, properties = model_of(kind), self._properties(declared, values)
        self._stack.generations[logical_id] = self._stack.generations.get(logical_id, 0) + 1
        made = self._make(model, self._context(logical_id), properties)
        resource = Resource(
            logical_id=logical_id,
            type=kind,
            physical_id=made.physical_id,
            properties=properties,
            attributes=made.attributes,
            needs=needs,
            status=f"{done}_COMPLETE",
            **_policies(declared),
        )
        self._keep(before, resource)

    @staticmethod
    def _make(model: Model, context: Context, properties: Mapping[str, Any]) -> Created:
        """Create; what was half made when it failed is deleted, so that nothing is left behind."""
        try:
            return model.create(context, properties)
        except Exception:
            for half in context.claimed:
                with suppress(Exception):  # the first failure is the one to tell
                    model.delete(context, Existing(half.physical_id, properties, half.attributes))
            raise

    def _update(
        self,
        existing: Resource,
        declared: Mapping[str, Any],
        needs: frozenset[str],
        properties: Mapping[str, Any],
    ) -> None:
        self._record(existing, "UPDATE_IN_PROGRESS")
        attributes = model_of(existing.type).update(
            self._context(existing.logical_id), _existing(existing), properties
        )
        resource = replace(
            existing,
            properties=properties,
            attributes=attributes,
            needs=needs,
            status="UPDATE_COMPLETE",
            updated=now(),
            **_policies(declared),
        )
        self._keep(existing, resource)

    def _keep(self, before: Resource | None, after: Resource) -> None:
        self._stack.resources[after.logical_id] = after
        self._stack.undo.append(Undo(before, after))
        self._record(after, after.status)

    def _properties(self, declared: Mapping[str, Any], values: StackValues) -> dict[str, Any]:
        resolved = resolve(declared.get("Properties") or {}, values)
        return validated(self._account.region, declared["Type"], resolved)

    def _context(self, logical_id: str) -> Context:
        return Context(
            region=self._account.region,
            account_id=self._account.account_id,
            stack_name=self._stack.name,
            stack_id=self._stack.id,
            logical_id=logical_id,
            generation=self._stack.generations.get(logical_id, 1),
            stack_tags=self._tags,
            client=self._account.client,
        )

    def _record(self, resource: Resource, status: str, reason: str | None = None) -> None:
        self._stack.record(
            status, reason, resource=(resource.logical_id, resource.physical_id, resource.type)
        )


def _existing(resource: Resource) -> Existing:
    return Existing(resource.physical_id, resource.properties, resource.attributes)


def _policies(declared: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "deletion_policy": declared.get("DeletionPolicy", "Delete"),
        "replace_policy": declared.get("UpdateReplacePolicy", "Delete"),
        "metadata": declared.get("Metadata"),
    }
