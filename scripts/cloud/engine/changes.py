"""What an update would do, told beforehand: the changes of a change set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scripts.cloudformation.errors import RequestRefusedError, ResourceFailedError
from scripts.cloudformation.functions import resolve
from scripts.cloudformation.graph import dependencies, in_order
from scripts.cloudformation.schema import validated
from scripts.cloudformation.template import Template
from scripts.cloudformation.updates import Effect, property_changes

from .account import Account
from .stack import Change, Resource, Stack
from .values import StackValues


def predict(
    account: Account,
    stack: Stack,
    template: Template,
    parameters: Mapping[str, Any],
    exports: Callable[[], Mapping[str, str]],
) -> list[Change]:
    """The changes in the order of their execution; values that a replacement will give count as changed."""
    _refuse_other_types(stack, template)
    later = set(template.resources) - set(stack.resources)
    values = StackValues(account, stack, template, parameters, exports, later)
    active = {name for name, declared in template.resources.items() if values.is_active(declared)}
    changes = []
    for logical_id in in_order(dependencies(template)):
        if logical_id not in active:
            continue
        declared, existing = template.resources[logical_id], stack.resources.get(logical_id)
        change = _change(account.region, logical_id, declared, existing, values)
        if change is not None:
            changes.append(change)
            if change.replacement:
                later.add(logical_id)
    removed = [r for name, r in stack.resources.items() if name not in active]
    return changes + [Change("Remove", r.logical_id, r.type, r.physical_id) for r in removed]


def _refuse_other_types(stack: Stack, template: Template) -> None:
    changed = [
        name
        for name, existing in sorted(stack.resources.items())
        if name in template.resources and template.resources[name]["Type"] != existing.type
    ]
    if changed:
        raise RequestRefusedError(
            "Update of resource type is not permitted. "
            f"The new template modifies resource type of the following resources: [{', '.join(changed)}]"
        )


def _change(
    region: str, logical_id: str, declared: Mapping[str, Any], existing: Resource | None, values: StackValues
) -> Change | None:
    kind = declared["Type"]
    if existing is None:
        return Change("Add", logical_id, kind)
    try:
        properties = validated(region, kind, resolve(declared.get("Properties") or {}, values))
    except ResourceFailedError:
        # the deployment will say what is wrong with it
        return Change("Modify", logical_id, kind, existing.physical_id)
    top: dict[str, bool] = {}
    for change in property_changes(region, kind, existing.properties, properties):
        name, replaces = change.path[0], change.effect is Effect.REPLACEMENT
        top[name] = top.get(name, False) or replaces
    if top:
        replaced = any(top.values())
        return Change("Modify", logical_id, kind, existing.physical_id, replaced, tuple(sorted(top.items())))
    return None
