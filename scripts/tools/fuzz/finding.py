"""A finding: one property that does not hold for one case."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scripts.tools.fuzz.case import Case

_FIGURES = re.compile(r"[0-9]+|'[^']*'|\"[^\"]*\"|`[^`]*`|\[[^\]]*\]")


@dataclass(frozen=True)
class Finding:
    """`holds` names the property, `told` says what was seen instead."""

    holds: str
    told: str

    @property
    def kind(self) -> str:
        """What findings of one cause have in common: the words without figures and quoted values."""
        return f"{self.holds}: {_FIGURES.sub('_', self.told)[:160]}"


@dataclass(frozen=True)
class Found:
    """A finding with the case that shows it, ready to be printed."""

    finding: Finding
    case: Case

    def __str__(self) -> str:
        return f"FINDING {self.finding.holds}\n  {self.finding.told}\n{_indented(self.case.as_pasted())}"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
