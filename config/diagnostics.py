"""A diagnostic: one thing that is wrong with a profile, as data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str | int, ...]


class Severity(StrEnum):
    """How bad a diagnostic is; only an error stops a synthesis."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """What a diagnostic code stands for: the entry of the rules page and of `ultracluster explain`.

    `holds` is the sentence that must hold; `why` says what happens on AWS when it does not;
    `source` says where AWS (or a failure report) says so.
    """

    code: str
    severity: Severity
    holds: str
    why: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding in one profile.

    `path` is the place in the user's own keys (`compute.groups[0].count`), `file` and `line` where
    that key stands (1-based; None when the value is a default), `hint` what to write instead.
    """

    code: str
    severity: Severity
    path: str
    message: str
    hint: str
    source: str
    file: str | None = None
    line: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """The diagnostic as JSON-ready data."""
        return asdict(self)


def format_path(path: Path) -> str:
    """A path as users read it: `compute.groups[0].efa.layout`; the whole profile is `profile`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text or "profile"


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """True when at least one diagnostic is an error."""
    return any(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)


def render(diagnostic: Diagnostic) -> str:
    """A diagnostic as plain text: what is wrong, where, and on the next lines what to write instead."""
    lines = [f"{diagnostic.severity}[{diagnostic.code}] {diagnostic.path}: {diagnostic.message}"]
    if diagnostic.file:
        at = f"{diagnostic.file}:{diagnostic.line}" if diagnostic.line else diagnostic.file
        lines.append(f"  at: {at}")
    if diagnostic.hint:
        lines.append(f"  hint: {diagnostic.hint}")
    if diagnostic.source:
        lines.append(f"  source: {diagnostic.source}")
    return "\n".join(lines)


_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}


def in_reading_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Errors first, then warnings and notes; within a severity by file, line and code; no duplicates."""
    return sorted(
        dict.fromkeys(diagnostics),
        key=lambda d: (_ORDER[d.severity], d.file or "", d.line or 0, d.path, d.code),
    )
