"""Everything that is wrong with a resource's properties, told at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import api
from .rules import refusals
from .rules.registry import Sibling


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that the service refuses: where, what, and who says so. `code` is one of our rules'."""

    path: str
    message: str
    source: str
    code: str | None = None
    hint: str | None = None

    def __str__(self) -> str:
        mark = f"{self.code} " if self.code else ""
        return f"{mark}#/{self.path}: {self.message}"


def problems(
    region: str, resource_type: str, properties: Mapping[str, Any], siblings: Mapping[str, Sibling]
) -> list[Problem]:
    """What the service refuses of these properties, beside the other resources of the stack.

    Values that are not known yet are passed over. `siblings` are the stack's other resources, with their
    properties resolved as far as they are.
    """
    found = [
        Problem(refusal.path, refusal.message, code.source, code.code, refusal.hint)
        for code, refusal in refusals(region, resource_type, properties, siblings)
    ]
    told = {problem.path for problem in found}
    found += [
        Problem(fault.path, fault.message, fault.source)
        for fault in api.faults(resource_type, properties)
        if fault.path not in told
    ]
    return found


def reason(resource_type: str, found: list[Problem]) -> str:
    """The event's reason: every problem in one line."""
    told = "; ".join(str(problem) for problem in found)
    return f'Resource handler returned message: "{resource_type}: {told}" (HandlerErrorCode: InvalidRequest)'
