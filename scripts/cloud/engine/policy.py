"""Stack policies: the resources that an update may change, replace or remove."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from scripts.cloud.template.errors import RequestRefusedError

PolicyAction = Literal["Update:Modify", "Update:Replace", "Update:Delete"]
_ACTIONS = frozenset({"Update:*", "Update:Modify", "Update:Replace", "Update:Delete"})


@dataclass(frozen=True)
class StackPolicy:
    """A stack policy. A policy denies each action that no statement allows.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/protect-stack-resources.html
    """

    statements: tuple[Mapping[str, Any], ...]

    @classmethod
    def parse(cls, text: str | None) -> StackPolicy | None:
        """Parse a policy; None if the text is empty. Raises RequestRefusedError for an invalid policy."""
        if not text:
            return None
        try:
            statements = _listed(json.loads(text)["Statement"])
        except (ValueError, KeyError, TypeError):
            raise RequestRefusedError("Error validating stack policy: Invalid stack policy") from None
        for statement in statements:
            if not isinstance(statement, Mapping) or statement.get("Effect") not in ("Allow", "Deny"):
                raise RequestRefusedError("Error validating stack policy: Invalid stack policy")
            acts = _listed(statement.get("Action", statement.get("NotAction", [])))
            if not acts or not all(act in _ACTIONS for act in acts):
                raise RequestRefusedError(
                    f"Error validating stack policy: valid actions are {', '.join(sorted(_ACTIONS))}"
                )
        return cls(tuple(statements))

    def refusal(self, action: PolicyAction, logical_id: str, resource_type: str) -> str | None:
        """Return the reason why the policy denies an action; None if it allows the action."""
        matching = [
            (number, statement["Effect"])
            for number, statement in enumerate(self.statements, start=1)
            if _concerns(statement, action, logical_id, resource_type)
        ]
        denied = [number for number, effect in matching if effect == "Deny"]
        if not denied and matching:
            return None
        by = f"Statement [#{denied[0]}]" if denied else "no statement"
        does = "does not allow" if denied else "allows"
        return f"Action denied by stack policy: {by} {does} [{action}] for resource [{logical_id}];"


def _concerns(
    statement: Mapping[str, Any], action: PolicyAction, logical_id: str, resource_type: str
) -> bool:
    if "NotAction" in statement:
        acts = not _matches(action, _listed(statement["NotAction"]))
    else:
        acts = _matches(action, _listed(statement.get("Action", [])))
    name = f"LogicalResourceId/{logical_id}"
    if "NotResource" in statement:
        named = not _matches(name, _listed(statement["NotResource"]))
    else:
        named = _matches(name, _listed(statement.get("Resource", "*")))
    return acts and named and _condition_holds(statement.get("Condition", {}), resource_type)


def _condition_holds(condition: Mapping[str, Mapping[str, Any]], resource_type: str) -> bool:
    return all(
        _matches(resource_type, _listed(wanted.get("ResourceType", [])))
        for operator, wanted in condition.items()
        if operator in ("StringEquals", "StringLike")
    )


def _matches(text: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(text, pattern) for pattern in patterns)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
