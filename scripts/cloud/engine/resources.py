"""Create, update, replace, revert or delete one resource, and record the stack events."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from botocore.exceptions import ClientError

from config.catalog.durations import Action
from scripts.cloud.resources.base import Context, Created, Existing, Model, UnreadableError, is_gone
from scripts.cloud.resources.registry import model_of
from scripts.cloud.template.errors import ResourceFailedError
from scripts.cloud.template.functions import resolve
from scripts.cloud.template.provider_schemas import schema_of
from scripts.cloud.template.schema import NO_SCHEMA, validated
from scripts.cloud.template.updates import Effect, effect_of, property_changes, refusal
from scripts.cloud.validation import Sibling, problems, reason

from .account import Account
from .attempts import attempt
from .policy import PolicyAction, StackPolicy
from .stack import Resource, Span, Stack, Undo, now
from .values import StackValues

_log = logging.getLogger(__name__)
KEPT = ("Retain", "RetainExceptOnCreate")
NO_REPLACEMENT = "Replacement type updates not supported on stack with disable-rollback."


class ResourceWorker:
    """Deploys the resources of one stack. `begin_*` starts an action and returns its duration in seconds."""

    def __init__(
        self,
        account: Account,
        stack: Stack,
        tags: Mapping[str, str],
        policy: StackPolicy | None = None,
        waivers: Mapping[str, str] | None = None,
    ) -> None:
        self._account, self._stack, self._tags, self._policy = account, stack, tags, policy
        self._waivers = waivers or {}
        self._begun: dict[str, tuple[str, str, float]] = {}

    def begin_apply(
        self, logical_id: str, declared: Mapping[str, Any], needs: frozenset[str], values: StackValues
    ) -> float:
        """Create the resource or update its properties; returns the duration in seconds."""
        existing = self._stack.resources.get(logical_id)
        if existing is None:
            return self._create(logical_id, declared, needs, values, before=None)
        properties = self._resolved(declared, values)
        changes = property_changes(self._account.region, existing.type, existing.properties, properties)
        effect = effect_of(changes)
        if effect is Effect.REPLACEMENT:
            self._allow("Update:Replace", existing)
            if self._stack.disable_rollback:
                raise ResourceFailedError(NO_REPLACEMENT)
            return self._create(logical_id, declared, needs, values, before=existing)
        if changes:
            self._allow("Update:Modify", existing)
            if effect is Effect.REFUSED:
                raise ResourceFailedError(refusal(existing.type, changes))
            self._judge(logical_id, existing.type, properties)
            return self._update(existing, declared, needs, properties)
        self._stack.resources[logical_id] = replace(existing, needs=needs, **_policies(declared))
        return 0.0

    def begin_revert(self, step: Undo) -> float:
        """Restore the previous properties of a resource that was updated in place."""
        assert step.before is not None
        self._begin(step.before, "update")
        self._record(step.before, "UPDATE_IN_PROGRESS")
        model, context = model_of(step.after.type), self._context(step.after.logical_id)
        result, seconds = self._attempt(
            step.after,
            "update",
            lambda: model.update(context, _existing(step.after), step.before.properties),
        )
        made = _changed(step.after, result)
        self._stack.resources[step.before.logical_id] = replace(
            step.before,
            physical_id=made.physical_id,
            attributes=made.attributes,
            status="UPDATE_IN_PROGRESS",
        )
        if made.physical_id != step.after.physical_id:
            self._stack.undo.append(Undo(None, step.after))
        return seconds

    def begin_delete(self, resource: Resource) -> float:
        """Delete a resource from its service."""
        self._begin(resource, "delete")
        self._record(resource, "DELETE_IN_PROGRESS")
        model, context = model_of(resource.type), self._context(resource.logical_id)
        _, seconds = self._attempt(
            resource, "delete", lambda: self._remove(model, context, _existing(resource))
        )
        return seconds

    @staticmethod
    def _remove(model: Model, context: Context, existing: Existing) -> None:
        """Delete the resource; succeeds if it was already deleted, as real providers do."""
        try:
            model.delete(context, existing)
        except ClientError as error:
            if not is_gone(error) or _is_there(model, context, existing):
                raise

    def discard(self, resource: Resource) -> None:
        """Delete a replacement before the replaced resource is created again."""
        self.begin_delete(resource)
        self.deleted(resource)

    def applied(self, logical_id: str) -> None:
        """Record that a creation or update succeeded."""
        resource = self._stack.resources[logical_id]
        if not resource.status.endswith("_IN_PROGRESS"):
            return  # the resource did not change
        status = resource.status.replace("_IN_PROGRESS", "_COMPLETE")
        observed = self._observed(resource) if self._account.observes else None
        done = replace(resource, status=status, updated=now(), observed=observed)
        self._stack.resources[logical_id] = done
        self._stack.failed.pop(logical_id, None)
        self._end(logical_id, "complete")
        self._record(done, status)

    def deleted(self, resource: Resource) -> None:
        """Record that a deletion succeeded."""
        self._end(resource.logical_id, "complete")
        self._record(resource, "DELETE_COMPLETE")

    def skip(self, resource: Resource) -> None:
        """Retain a resource and remove it from the stack."""
        self._record(resource, "DELETE_SKIPPED")

    def not_deleted(self, resource: Resource, reason: str) -> None:
        """Record a failed deletion; the stack still lists the resource, unless a new one has replaced it."""
        name = resource.logical_id
        self._end(name, "failed")
        if self._stack.resources.get(name) == resource:
            shown = replace(resource, status="DELETE_FAILED", reason=reason, updated=now())
            self._stack.resources[name] = shown
        self._record(resource, "DELETE_FAILED", reason)

    def failed(self, logical_id: str, kind: str, status: str, reason: str) -> None:
        """Record a failure or a cancellation."""
        existing = self._stack.resources.get(logical_id)
        physical_id = existing.physical_id if existing else ""
        self._end(logical_id, "failed")
        if status in ("CREATE_FAILED", "UPDATE_FAILED"):
            shown = existing or Resource(logical_id, kind, physical_id, {}, {})
            self._stack.failed[logical_id] = replace(shown, status=status, reason=reason, updated=now())
        self._stack.record(status, reason, resource=(logical_id, physical_id, kind))

    def cancelled(self, logical_id: str) -> None:
        """Record that a creation or update was cancelled because another resource failed."""
        resource = self._stack.resources[logical_id]
        if not resource.status.endswith("_IN_PROGRESS"):
            return
        verb = resource.status.removesuffix("_IN_PROGRESS")
        noun = "creation" if verb == "CREATE" else "update"
        self.failed(logical_id, resource.type, f"{verb}_FAILED", f"Resource {noun} cancelled")

    def _create(
        self,
        logical_id: str,
        declared: Mapping[str, Any],
        needs: frozenset[str],
        values: StackValues,
        before: Resource | None,
    ) -> float:
        kind = declared["Type"]
        verb = "UPDATE" if before else "CREATE"
        starting = "Requested update requires the creation of a new physical resource" if before else None
        self._begun[logical_id] = (kind, "replace" if before else "create", self._stack.clock.elapsed_s)
        self._stack.record(f"{verb}_IN_PROGRESS", starting, resource=(logical_id, "", kind))
        if kind not in NO_SCHEMA:
            schema_of(self._account.region, kind)
        properties = self._resolved(declared, values)
        self._judge(logical_id, kind, properties)
        first = before if before is not None and self._deletes_first(kind) else None
        if first is not None:
            self._delete_first(first)
        shape = Resource(
            logical_id,
            kind,
            "",
            properties,
            {},
            needs=needs,
            status=f"{verb}_IN_PROGRESS",
            **_policies(declared),
        )
        try:
            resource, seconds = self._new(shape)
        except Exception:
            if first is not None:  # the rollback creates it again, where a failure is visible
                self._stack.undo.append(Undo(first, first, deleted_first=True))
            raise
        self._keep(before, resource, deleted_first=first is not None)
        self._record(resource, resource.status, "Resource creation Initiated")
        return seconds

    def begin_again(self, resource: Resource) -> float:
        """Create a replaced resource again, if it was deleted before its replacement was created."""
        self._begin(resource, "create")
        self._record(resource, "UPDATE_IN_PROGRESS")
        made, seconds = self._new(resource)
        self._stack.resources[resource.logical_id] = replace(made, status="UPDATE_IN_PROGRESS")
        return seconds

    def _new(self, shape: Resource) -> tuple[Resource, float]:
        """Create a new physical resource with the given properties."""
        name, model = shape.logical_id, model_of(shape.type)
        self._stack.generations[name] = self._stack.generations.get(name, 0) + 1
        made, seconds = self._attempt(shape, "create", lambda: self._make(model, self._context(name), shape))
        return replace(shape, physical_id=made.physical_id, attributes=made.attributes), seconds

    def _delete_first(self, resource: Resource) -> None:
        model, context = model_of(resource.type), self._context(resource.logical_id)
        self._attempt(resource, "delete", lambda: model.delete(context, _existing(resource)))

    def _update(
        self,
        existing: Resource,
        declared: Mapping[str, Any],
        needs: frozenset[str],
        properties: Mapping[str, Any],
    ) -> float:
        self._begin(existing, "update")
        self._record(existing, "UPDATE_IN_PROGRESS")
        model, context = model_of(existing.type), self._context(existing.logical_id)
        result, seconds = self._attempt(
            existing, "update", lambda: self._change(model, context, existing, properties)
        )
        made = _changed(existing, result)
        resource = replace(
            existing,
            physical_id=made.physical_id,
            properties=properties,
            attributes=made.attributes,
            needs=needs,
            status="UPDATE_IN_PROGRESS",
            **_policies(declared),
        )
        self._keep(existing, resource)
        return seconds

    def _make(self, model: Model, context: Context, shape: Resource) -> Created:
        """Create a resource; if the creation fails, delete the parts that were already created."""
        try:
            return model.create(context, shape.properties)
        except Exception:
            for half in context.claimed:
                with suppress(Exception):  # report the first failure
                    model.delete(context, _existing(_as_left(shape, half, shape.properties)))
            self._leave(None, shape, context, shape.properties)
            raise

    def _change(
        self, model: Model, context: Context, existing: Resource, properties: Mapping[str, Any]
    ) -> Mapping[str, Any] | Created:
        """Update a resource in place; if the update fails, restore the old properties if possible."""
        try:
            return model.update(context, _existing(existing), properties)
        except Exception:
            self._leave(existing, existing, context, properties)
            half = Existing(existing.physical_id, properties, existing.attributes)
            if not context.left:
                with suppress(Exception):  # report the first failure
                    model.update(context, half, existing.properties)
            raise

    def _leave(
        self, before: Resource | None, shape: Resource, context: Context, properties: Mapping[str, Any]
    ) -> None:
        """Record the resources that a failed action created or changed, so that the rollback reverts them."""
        for half in context.left:
            self._stack.undo.append(Undo(before, _as_left(shape, half, properties)))

    def _attempt(self, resource: Resource, action: Action, call: Any) -> tuple[Any, float]:
        return attempt(self._account.faults, resource.type, resource.logical_id, action, call)

    def _allow(self, action: PolicyAction, resource: Resource) -> None:
        message = self._policy and self._policy.refusal(action, resource.logical_id, resource.type)
        if message:
            raise ResourceFailedError(message)

    def _deletes_first(self, kind: str) -> bool:
        """Return whether a replacement deletes the old resource before it creates the new one."""
        schema = schema_of(self._account.region, kind)
        return bool(schema.get("replacementStrategy") == "delete_then_create")

    def _keep(self, before: Resource | None, after: Resource, *, deleted_first: bool = False) -> None:
        self._stack.resources[after.logical_id] = after
        self._stack.undo.append(Undo(before, after, deleted_first))

    def _resolved(self, declared: Mapping[str, Any], values: StackValues) -> dict[str, Any]:
        """Return the properties with evaluated functions, converted to the types of the resource's schema."""
        resolved = resolve(declared.get("Properties") or {}, values)
        return validated(self._account.region, declared["Type"], resolved)

    def _judge(self, logical_id: str, kind: str, properties: Mapping[str, Any]) -> None:
        """Reject properties that the service is known to reject, unless the template waives the finding."""
        siblings = {
            name: Sibling(resource.type, resource.properties, frozenset(_ids(resource)))
            for name, resource in self._stack.resources.items()
            if name != logical_id
        }
        found = problems(self._account.region, kind, properties, siblings, self._waivers)
        refused = [problem for problem in found if problem.waived is None and problem.refuses]
        if refused:
            raise ResourceFailedError(reason(kind, refused))
        for problem in found:
            _log.warning("%s: %s", logical_id, problem)

    def _observed(self, resource: Resource) -> Mapping[str, Any] | None:
        """Return the resource's current properties from its service; None if they cannot be read."""
        try:
            return model_of(resource.type).read(self._context(resource.logical_id), _existing(resource))
        except UnreadableError:
            return None
        except ClientError as error:  # a key whose policy denies all principals still exists
            _log.info("%s cannot be read back: %s", resource.logical_id, error)
            return None

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

    def _begin(self, resource: Resource, action: str) -> None:
        self._begun[resource.logical_id] = (resource.type, action, self._stack.clock.elapsed_s)

    def _end(self, logical_id: str, outcome: str) -> None:
        begun = self._begun.pop(logical_id, None)
        if begun:
            kind, action, begin_s = begun
            self._stack.timeline.append(
                Span(logical_id, kind, action, begin_s, self._stack.clock.elapsed_s, outcome)
            )

    def _record(self, resource: Resource, status: str, reason: str | None = None) -> None:
        self._stack.record(
            status, reason, resource=(resource.logical_id, resource.physical_id, resource.type)
        )


def _ids(resource: Resource) -> Iterator[str]:
    """Yield the values that other resources use to refer to this resource."""
    yield resource.physical_id
    yield from (value for value in resource.attributes.values() if isinstance(value, str))


def _is_there(model: Model, context: Context, existing: Existing) -> bool:
    """Return whether a resource exists; False if the service returns an error."""
    try:
        return model.read(context, existing) is not None
    except (ClientError, UnreadableError):
        return False


def _existing(resource: Resource) -> Existing:
    return Existing(resource.physical_id, resource.properties, resource.attributes)


def _changed(existing: Resource, result: Mapping[str, Any] | Created) -> Created:
    """Return an update's result. Only a custom resource's provider can change the physical id."""
    return result if isinstance(result, Created) else Created(existing.physical_id, result)


def _as_left(resource: Resource, half: Created, properties: Mapping[str, Any]) -> Resource:
    return replace(resource, physical_id=half.physical_id, properties=properties, attributes=half.attributes)


def _policies(declared: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "deletion_policy": declared.get("DeletionPolicy", "Delete"),
        "replace_policy": declared.get("UpdateReplacePolicy", "Delete"),
        "metadata": declared.get("Metadata"),
    }
