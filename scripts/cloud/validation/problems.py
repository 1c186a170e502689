"""All problems of a resource's properties, reported together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from config.diagnostics import Severity

from . import api
from .rules import violations
from .rules.registry import Sibling

_NO_WAIVERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: the property's path, the message, and the source of the limit.

    `code` is the code of one of our rules, if a rule found it. `refuses` is False if the service accepts the
    value, which is only unwise. `waived` is the reason in the template's waiver for this problem.
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
    """Return the problems of one resource's properties.

    Values that are not known yet are skipped. `siblings` are the stack's other resources, with their
    properties resolved as far as possible. `waivers` maps each code that the template waives to its reason:
    waived problems are reported with their reason and do not fail the resource.
    """
    found = [
        Problem(
            violation.path,
            violation.message,
            code.source,
            code.code,
            violation.hint,
            waivers.get(code.code),
            refuses=code.severity is Severity.ERROR,
        )
        for code, violation in violations(region, resource_type, properties, siblings)
    ]
    reported = {problem.path for problem in found if problem.waived is None}
    found += [
        Problem(fault.path, fault.message, fault.source)
        for fault in api.faults(resource_type, properties)
        if fault.path not in reported
    ]
    return found


def reason(resource_type: str, found: list[Problem]) -> str:
    """Return all problems in one line, as the reason of the stack event."""
    listed = "; ".join(str(problem) for problem in found)
    return (
        f'Resource handler returned message: "{resource_type}: {listed}" (HandlerErrorCode: InvalidRequest)'
    )
