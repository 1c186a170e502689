"""How the codes of this package are made: what a service refuses is an error, what it takes a warning."""

from __future__ import annotations

from config.diagnostics import Code, Severity


def unwise(code: str, holds: str, why: str, source: str) -> Code:
    """The code of something that a service takes, and that fails or differs later."""
    return Code(code=code, severity=Severity.WARNING, holds=holds, why=why, source=source, waivable=True)


def refused(code: str, holds: str, why: str, source: str, *, ages: str = "") -> Code:
    """The code of something that a service refuses; `ages` names a fact in it that changes with time."""
    return Code(
        code=code,
        severity=Severity.ERROR,
        holds=holds,
        why=why,
        source=source,
        waivable=bool(ages),
        ages=ages,
    )
