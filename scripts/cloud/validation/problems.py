"""Everything that is wrong with a resource's properties, told at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from config.diagnostics import Severity

from . import api
from .rules import refusals
from .rules.registry import Sibling

_NO_WAIVERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that the service refuses: where, what, and who says so.

    `code` is one of our rules'; `refuses` is False where the service takes it all the same, and it is unwise;
    `waived` the reason with which the template accepts the finding.
    """

    path: str
    message: str
    source: str
    code: str | None = None
    hint: str | None = None
    waived: str | None = None
    refuses: bool = True

    def __str__(self) -> str:
        mark = f"{self.code} " if self.code else ""
        reason = "" if self.waived is None else f" (waived: {self.waived})"
        return f"{mark}#/{self.path}: {self.message}{reason}"


def problems(
    region: str,
    resource_type: str,
    properties: Mapping[str, Any],
    siblings: Mapping[str, Sibling],
    waivers: Mapping[str, str] = _NO_WAIVERS,
) -> list[Problem]:
    """What the service refuses of these properties, beside the other resources of the stack.

    Values that are not known yet are passed over. `siblings` are the stack's other resources, with their
    properties resolved as far as they are; `waivers` the reasons by code of what the template waives: such
    problems are told with their reason, and refuse nothing.
    """
    found = [
        Problem(
            refusal.path,
            refusal.message,
            code.source,
            code.code,
            refusal.hint,
            waivers.get(code.code),
            refuses=code.severity is Severity.ERROR,
        )
        for code, refusal in refusals(region, resource_type, properties, siblings)
    ]
    told = {problem.path for problem in found if problem.waived is None}
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
