"""Rules and findings, and the decorator that creates rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import ModuleType

from config.design.model import Design
from config.diagnostics import Code, Path, Severity, made_code


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One violation of a rule; `at` is the path in the profile."""

    at: Path
    message: str
    hint: str


Check = Callable[[Design], Iterable[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule: its code, the parts of a profile that it reads, and its check.

    A rule is skipped if a part in `reads` has wrong keys or values, or if the design does not have a kind in
    `where`.
    """

    code: Code
    reads: frozenset[str]
    check: Check
    where: frozenset[str] = frozenset()


def rule(
    code: str,
    severity: Severity,
    holds: str,
    *,
    why: str,
    source: str,
    reads: str,
    ages: str = "",
    where: str = "",
) -> Callable[[Check], Rule]:
    """Return a decorator that creates a rule from a check.

    `reads` has the top-level keys that the check reads. `where` lists kinds (`Design.kinds`): the rule
    applies only to designs with one of them; if `where` is empty, to all designs. `ages` names an AWS fact
    that changes over time. An error with `ages` can be waived.
    """

    def make(check: Check) -> Rule:
        return Rule(
            code=made_code(severity, code, holds, why, source, ages=ages),
            reads=frozenset(reads.split()),
            check=check,
            where=frozenset(where.split()),
        )

    return make


def rules_of(*modules: ModuleType) -> tuple[Rule, ...]:
    """Return the rules that modules define, in source order; imported rules are not included."""
    return tuple(
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, Rule) and value.check.__module__ == module.__name__
    )


ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
