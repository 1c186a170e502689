"""Fuzz finding: one property that is false for one case."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scripts.tools.fuzz.case import Case

_VALUES = re.compile(r"[0-9]+|'[^']*'|\"[^\"]*\"|`[^`]*`|\[[^\]]*\]")


@dataclass(frozen=True)
class Finding:
    """A property that is false: `expected` names the property, and `observed` is the result."""

    expected: str
    observed: str

    @property
    def kind(self) -> str:
        """Return the text without numbers and quoted values, so that findings with one cause are equal."""
        return f"{self.expected}: {_VALUES.sub('_', self.observed)[:160]}"


@dataclass(frozen=True)
class Found:
    """A finding with its case, to print."""

    finding: Finding
    case: Case

    def __str__(self) -> str:
        return f"FINDING {self.finding.expected}\n  {self.finding.observed}\n{_indented(self.case.as_yaml())}"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
