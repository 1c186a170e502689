"""A diagnostic: one thing that is wrong with a profile, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str | int, ...]

_LONGEST = 1000


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

    `waivable`: a profile may accept the finding with a reason. Warnings and notes of a profile are; an error
    is only where it states a fact of AWS that changes with time, which `ages` then names: what a Region or a
    zone offers, how a type is sold, a quota, a list of a service. What a template cannot be made without is
    never waived, nor is what a single change does to a deployed stack.
    """

    code: str
    severity: Severity
    holds: str
    why: str
    source: str
    waivable: bool = False
    ages: str = ""


def made_code(severity: Severity, code: str, holds: str, why: str, source: str, *, ages: str = "") -> Code:
    """A code whose finding can be waived, unless it is an error without a fact that changes with time."""
    waivable = severity is not Severity.ERROR or bool(ages)
    return Code(
        code=code, severity=severity, holds=holds, why=why, source=source, waivable=waivable, ages=ages
    )


def codes_of(module: Mapping[str, object]) -> tuple[Code, ...]:
    """The codes that a module defines, in the order of their lines; `module` is its `globals()`."""
    return tuple(value for value in module.values() if isinstance(value, Code))


class HintedError(Exception):
    """Why something could not be done, and in `hint` what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding in one profile.

    `path` is the place in the user's own keys (`compute.groups[0].count`), `file` and `line` where
    that key stands (1-based; None when the value is a default), `hint` what to write instead. `waived` is the
    reason with which the profile accepts it; None where it does not.
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
        """What users wrote is told in one line, not too long, without signs that move a terminal's cursor."""
        for part in ("path", "message", "hint"):
            text = getattr(self, part)
            if len(text) > _LONGEST or not text.isprintable():
                object.__setattr__(self, part, in_one_line(text))

    @property
    def stops(self) -> bool:
        """True for an error that nobody accepts: nothing is synthesized, and the exit status is 1."""
        return self.severity is Severity.ERROR and self.waived is None

    def as_dict(self) -> dict[str, Any]:
        """The diagnostic as JSON-ready data."""
        return asdict(self)


def in_one_line(text: str) -> str:
    """A text with control characters as escapes; of a very long one its beginning and its end."""
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}...{text[-_LONGEST // 4 :]}"
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text
    )


def format_path(path: Path) -> str:
    """A path as users read it: `compute.groups[0].efa.layout`; the whole profile is `profile`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text or "profile"


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """True when at least one diagnostic is an error that is not waived."""
    return any(diagnostic.stops for diagnostic in diagnostics)


def render(diagnostic: Diagnostic) -> str:
    """A diagnostic as plain text: what is wrong, where, and on the next lines what to write instead."""
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
    """How many there are of each severity, and how many are waived: `1 error, 2 notes, 1 waived`."""
    counts = Counter("waived" if d.waived is not None else d.severity.value for d in diagnostics)
    words = [
        f"{n} {severity}{'s' if n > 1 else ''}" for severity in Severity if (n := counts[severity.value])
    ]
    return ", ".join([*words, *([f"{counts['waived']} waived"] if counts["waived"] else [])])


_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}


def in_reading_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Errors first, then warnings and notes, what is waived last; by file, line and code; no duplicates."""
    return sorted(
        dict.fromkeys(diagnostics),
        key=lambda d: (d.waived is not None, _ORDER[d.severity], d.file or "", d.line or 0, d.path, d.code),
    )
