"""Predict the changes that an update causes, for a change set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from scripts.cloud.template.document import Template
from scripts.cloud.template.errors import RequestRefusedError, ResourceFailedError
from scripts.cloud.template.functions import KNOWN_AFTER_APPLY, resolve
from scripts.cloud.template.graph import dependencies, in_order, references
from scripts.cloud.template.schema import validated, value_at
from scripts.cloud.template.updates import Effect, PropertyChange, property_changes

from .account import Account
from .stack import Change, Detail, Resource, Stack
from .values import StackValues


def predict(
    account: Account,
    stack: Stack,
    template: Template,
    parameters: Mapping[str, Any],
    exports: Callable[[], Mapping[str, str]],
) -> list[Change]:
    """Return the changes in execution order; references to a replaced resource count as changed values."""
    _refuse_other_types(stack, template)
    later = set(template.resources) - set(stack.resources)
    values = StackValues(account, stack, template, parameters, exports, later)
    active = {name for name, declared in template.resources.items() if values.is_active(declared)}
    _refuse_references_to_inactive(template, active, values)
    changes = []
    for logical_id in in_order(dependencies(template)):
        if logical_id not in active:
            continue
        declared, existing = template.resources[logical_id], stack.resources.get(logical_id)
        change = _change(account.region, logical_id, declared, existing, values, later)
        if change is not None:
            changes.append(change)
            if change.replacement != "False":
                later.add(logical_id)
    removed = [r for name, r in stack.resources.items() if name not in active]
    return changes + [_removed(resource) for resource in removed]


def _refuse_references_to_inactive(template: Template, active: set[str], values: StackValues) -> None:
    """Reject references from active resources and outputs to resources whose condition is false."""
    inactive = set(template.resources) - active
    sections: list[tuple[str, Iterable[Any]]] = [
        ("Resources", (template.resources[name].get("Properties") for name in sorted(active))),
        ("Outputs", (o for o in template.section("Outputs").values() if values.is_active(o))),
    ]
    for section, parts in sections:
        named = {name for part in parts for name in references(_chosen(part, values))}
        missing = sorted(named & inactive)
        if missing:
            raise RequestRefusedError(
                f"Template format error: Unresolved resource dependencies [{', '.join(missing)}] "
                f"in the {section} block of the template"
            )


def _chosen(value: Any, values: StackValues) -> Any:
    """Return a value in which each `Fn::If` is replaced by the branch that its condition selects."""
    if isinstance(value, list):
        return [_chosen(item, values) for item in value]
    if not isinstance(value, Mapping):
        return value
    branches = value.get("Fn::If") if len(value) == 1 else None
    if isinstance(branches, list) and len(branches) == 3:
        return _chosen(branches[1 if values.condition(str(branches[0])) else 2], values)
    return {key: _chosen(item, values) for key, item in value.items()}


def _removed(resource: Resource) -> Change:
    kept = resource.deletion_policy != "Delete"
    return Change(
        "Remove",
        resource.logical_id,
        resource.type,
        resource.physical_id,
        policy_action="Retain" if kept else "Delete",
        before=resource.properties,
    )


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
    region: str,
    logical_id: str,
    declared: Mapping[str, Any],
    existing: Resource | None,
    values: StackValues,
    later: set[str],
) -> Change | None:
    kind = declared["Type"]
    if existing is None:
        return Change("Add", logical_id, kind, after=declared.get("Properties") or {})
    try:
        properties = validated(region, kind, resolve(declared.get("Properties") or {}, values))
    except ResourceFailedError:
        # the deployment will report the error
        return Change("Modify", logical_id, kind, existing.physical_id)
    changes = property_changes(region, kind, existing.properties, properties)
    if not changes:
        return None
    details = tuple(_detail(c, existing.properties, properties, declared, later) for c in changes)
    replacement = _replacement(details)
    return Change(
        "Modify",
        logical_id,
        kind,
        existing.physical_id,
        replacement,
        details,
        policy_action=_policy_action(replacement, declared),
        before=existing.properties,
        after=properties,
    )


def _detail(
    change: PropertyChange,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    declared: Mapping[str, Any],
    later: set[str],
) -> Detail:
    was, will = value_at(before, change.path), value_at(after, change.path)
    unknown = isinstance(will, str) and KNOWN_AFTER_APPLY in will
    recreation = "Never"
    if change.effect is Effect.REPLACEMENT:
        recreation = "Conditionally" if unknown else "Always"
    cause = _cause(references((declared.get("Properties") or {}).get(change.path[0])), later)
    kind = "Add" if was is None else "Remove" if will is None else "Modify"
    return Detail(change.path, recreation, kind, was, will, cause if unknown else None)


def _cause(names: Iterable[str], later: set[str]) -> str | None:
    return next((name for name in names if name in later), None)


def _replacement(details: Iterable[Detail]) -> str:
    recreations = {detail.recreation for detail in details}
    if "Always" in recreations:
        return "True"
    return "Conditional" if "Conditionally" in recreations else "False"


def _policy_action(replacement: str, declared: Mapping[str, Any]) -> str | None:
    if replacement == "False":
        return None
    kept = declared.get("UpdateReplacePolicy", "Delete") != "Delete"
    return "ReplaceAndRetain" if kept else "ReplaceAndDelete"
