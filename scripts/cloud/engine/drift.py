"""Drift detection: changes outside of the stack since its last deployment."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from uuid import uuid4

from scripts.cloud.resources.base import Context, Existing, UnreadableError
from scripts.cloud.resources.registry import model_of
from scripts.cloud.template.schema import changed_paths, value_at

from .account import Account
from .stack import Resource, ResourceDrift, Stack, StackDrift


def detect(account: Account, stack: Stack, only: Collection[str] = ()) -> StackDrift:
    """Compare all resources, or those in `only`, with their state after the last deployment."""
    for name, resource in list(stack.resources.items()):
        if not only or name in only:
            stack.resources[name] = replace(resource, drift=_drift(account, stack, resource))
    found = [resource.drift for resource in stack.resources.values() if resource.drift]
    drifted = sum(drift.status in ("MODIFIED", "DELETED") for drift in found)
    result = StackDrift(str(uuid4()), "DRIFTED" if drifted else "IN_SYNC", drifted)
    if not only:
        stack.drift = result
    return result


def _drift(account: Account, stack: Stack, resource: Resource) -> ResourceDrift:
    context = Context(
        region=account.region,
        account_id=account.account_id,
        stack_name=stack.name,
        stack_id=stack.id,
        logical_id=resource.logical_id,
        generation=stack.generations.get(resource.logical_id, 1),
        stack_tags=stack.tags,
        client=account.client,
    )
    existing = Existing(resource.physical_id, resource.properties, resource.attributes)
    try:
        actual = model_of(resource.type).read(context, existing)
    except UnreadableError:
        return ResourceDrift("NOT_CHECKED")
    if actual is None:
        return ResourceDrift("DELETED")
    expected = resource.observed or {}
    differences = tuple(
        ("/" + "/".join(path), value_at(expected, path), value_at(actual, path))
        for path in changed_paths(expected, actual)
    )
    return ResourceDrift("MODIFIED" if differences else "IN_SYNC", differences)
