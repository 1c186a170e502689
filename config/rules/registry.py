"""What a rule is, and how one looks at a design."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import ModuleType

from config.design.model import Design
from config.diagnostics import Code, Path, Severity, made_code


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One place where a rule does not hold; `at` is the path into the profile."""

    at: Path
    message: str
    hint: str


Check = Callable[[Design], Iterable[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule: its code and sentences, the parts of a profile that it reads, and the check.

    A part whose shape is already wrong is not judged: rules that read it are passed over. So is a rule in a
    design that has none of the kinds of `where`: it has nothing to say there.
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
    """Make a rule of a check; `reads` lists the top-level keys that it needs, by space.

    `where` lists kinds (`Design.kinds`) without all of which it has nothing to say; empty: it always may.
    `ages` names the fact of AWS that an error states and that changes with time: such an error can be waived.
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
    """The rules that modules define, in the order of their lines; not those that they import."""
    return tuple(
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, Rule) and value.check.__module__ == module.__name__
    )


ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
