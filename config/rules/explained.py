"""What `ultracluster explain` shows beside a code: its examples, and what the rule says of the bad one.

The file is generated: the examples were run when it was written, so that nothing has to run to show them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from config.diagnostics import Code

FILE = Path(__file__).with_name("explained.json")
NAME = f"config/rules/{FILE.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """One code: a bad example with its place, message and hint, a good one, and the reports it prevents.

    `bad` and `good` are texts in `language`; `reports` has the address of each public failure report.
    """

    language: str
    bad: str
    path: str
    message: str
    hint: str
    good: str
    reports: Mapping[str, str]


@lru_cache(maxsize=1)
def _entries() -> Mapping[str, Mapping[str, Any]]:
    entries: Mapping[str, Mapping[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return entries


def waiving(code: Code) -> str:
    """Whether a profile may waive a code, and why an error can be."""
    if not code.waivable:
        return "cannot be waived"
    return f"can be waived: AWS changes {code.ages}" if code.ages else "can be waived"


def explained(code: str) -> Explained:
    """The examples of a code, as they are stored."""
    return Explained(**_entries()[code])
