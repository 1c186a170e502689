"""How the codes of this package are made: what a service refuses is an error."""

from __future__ import annotations

from config.diagnostics import Code, Severity


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
