"""Diagnostics: findings in a profile, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str | int, ...]

_LONGEST = 1000


class Severity(StrEnum):
    """Severity of a diagnostic; only an error stops a synthesis."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """The meaning of a diagnostic code: the entry on the rules page and in `ultracluster explain`.

    `holds` is the rule as a sentence, `why` describes the effect of a violation on AWS, and `source` is an
    AWS page or a failure report.

    `waivable` is true if a profile can accept the finding with a reason. Warnings and notes are waivable. An
    error is waivable only if it depends on a fact that AWS changes over time, such as the services of a
    Region, purchase options or quotas. `ages` names the fact. An error that prevents the creation of a
    template is not waivable. The effects of a change on a deployed stack are not waivable.
    """

    code: str
    severity: Severity
    holds: str
    why: str
    source: str
    waivable: bool = False
    ages: str = ""


def made_code(severity: Severity, code: str, holds: str, why: str, source: str, *, ages: str = "") -> Code:
    """Return a code, which is waivable unless it is an error without `ages`."""
    waivable = severity is not Severity.ERROR or bool(ages)
    return Code(
        code=code, severity=severity, holds=holds, why=why, source=source, waivable=waivable, ages=ages
    )


def codes_of(module: Mapping[str, object]) -> tuple[Code, ...]:
    """Return the codes that a module defines, in the order of their lines; `module` is its `globals()`."""
    return tuple(value for value in module.values() if isinstance(value, Code))


class HintedError(Exception):
    """An error with a hint for its correction."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding in one profile.

    `path` is the location in the user's keys (`compute.groups[0].count`). `file` and `line` (1-based) locate
    that key; None if the value is a default. `hint` is the correction. `waived` is the reason why the profile
    accepts the finding; None if the profile does not accept it.
    """

    code: str
    severity: Severity
    path: str
    message: str
    hint: str
    source: str
    file: str | None = None
    line: int | None = None
    waived: str | None = None

    def __post_init__(self) -> None:
        """Shorten user input to one line, and escape characters that could move a terminal's cursor."""
        for part in ("path", "message", "hint"):
            text = getattr(self, part)
            if len(text) > _LONGEST or not text.isprintable():
                object.__setattr__(self, part, in_one_line(text))

    @property
    def stops(self) -> bool:
        """True for an error that is not waived, which stops the synthesis and leads to exit status 1."""
        return self.severity is Severity.ERROR and self.waived is None

    def as_dict(self) -> dict[str, Any]:
        """The diagnostic as JSON-ready data."""
        return asdict(self)


def in_one_line(text: str) -> str:
    """Return a text with escaped control characters; a very long text is shortened in the middle."""
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}...{text[-_LONGEST // 4 :]}"
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text
    )


def format_path(path: Path) -> str:
    """Return a path as text: `compute.groups[0].efa.layout`, or `profile` for the whole profile."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text or "profile"


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Return True if at least one diagnostic is an error that is not waived."""
    return any(diagnostic.stops for diagnostic in diagnostics)


def render(diagnostic: Diagnostic) -> str:
    """Return a diagnostic as plain text: path and message, then lines for location, hint and source."""
    mark = "" if diagnostic.waived is None else "waived "
    lines = [f"{mark}{diagnostic.severity}[{diagnostic.code}] {diagnostic.path}: {diagnostic.message}"]
    if diagnostic.waived is not None:
        lines.append(f"  waived: {diagnostic.waived}")
    if diagnostic.file:
        at = f"{diagnostic.file}:{diagnostic.line}" if diagnostic.line else diagnostic.file
        lines.append(f"  at: {at}")
    if diagnostic.hint:
        lines.append(f"  hint: {diagnostic.hint}")
    if diagnostic.source:
        lines.append(f"  source: {diagnostic.source}")
    return "\n".join(lines)


def counted(diagnostics: Iterable[Diagnostic]) -> str:
    """Return the number of diagnostics by severity, and of waived ones: `1 error, 2 notes, 1 waived`."""
    counts = Counter("waived" if d.waived is not None else d.severity.value for d in diagnostics)
    parts = [
        f"{n} {severity}{'s' if n > 1 else ''}" for severity in Severity if (n := counts[severity.value])
    ]
    return ", ".join([*parts, *([f"{counts['waived']} waived"] if counts["waived"] else [])])


_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}


def in_reading_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sort diagnostics by severity, waived ones last, then by file, line and code, without duplicates."""
    return sorted(
        dict.fromkeys(diagnostics),
        key=lambda d: (d.waived is not None, _ORDER[d.severity], d.file or "", d.line or 0, d.path, d.code),
    )
