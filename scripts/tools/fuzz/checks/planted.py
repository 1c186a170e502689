"""Several independent faults in one profile, each of which must be reported."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from config.profile.source.codes import CODES as SHAPE_CODES
from config.profile.source.reference import BUILT_IN_FOLDER
from config.rules.codes import RULES
from scripts.tools.fuzz.case import MAIN, Case
from scripts.tools.fuzz.finding import Finding
from scripts.tools.fuzz.values.texts import written

Data = dict[str, Any]
_TABLE = Path(__file__).with_name("planted.yaml")
_MOST = 6
# shape errors: rules that read a part with one do not run
_OF_SHAPE = frozenset(code.code for code in SHAPE_CODES if "PRO010" <= code.code <= "PRO026")


@dataclass(frozen=True)
class Fault:
    """A wrong value `put` at the path `at`, reported as `code`; a fault in `conflicts` can hide it."""

    at: tuple[str | int, ...]
    put: Any
    code: str
    conflicts: frozenset[str]

    @property
    def part(self) -> str:
        """Return the top-level key of the fault."""
        return str(self.at[0])

    @property
    def stops_rules(self) -> bool:
        """Return whether the fault prevents rules that read the same part of the profile from running."""
        return self.code in _OF_SHAPE

    @property
    def reads(self) -> frozenset[str]:
        """Return the parts that must be valid for the fault to be reported."""
        return frozenset().union(*(rule.reads for rule in RULES if rule.code.code == self.code))

    def is_independent_of(self, other: Fault) -> bool:
        """Return whether the two faults are both reported in one profile."""
        if self.part == other.part or self.code in other.conflicts or other.code in self.conflicts:
            return False
        return not (self.stops_rules and self.part in other.reads) and not (
            other.stops_rules and other.part in self.reads
        )


@cache
def faults() -> tuple[Fault, ...]:
    """Return the faults of planted.yaml."""
    rows = yaml.safe_load(_TABLE.read_text(encoding="utf-8"))
    return tuple(
        Fault(
            at=tuple(int(step) if step.isdigit() else step for step in row["at"].split(".")),
            put=row["put"],
            code=row["code"],
            conflicts=frozenset(row.get("conflicts", ())),
        )
        for row in rows
    )


@cache
def valid_profile() -> Data:
    """Return the valid profile to plant faults in: p6-b200 with a workload."""
    data: Data = yaml.safe_load((BUILT_IN_FOLDER / "p6-b200.yaml").read_text(encoding="utf-8"))
    return {**data, "workload": {"parameters": 405000000000.0}}


def planted(chosen: list[Fault]) -> Data:
    """Return the valid profile with these faults put into it."""
    data = copy.deepcopy(valid_profile())
    for fault in chosen:
        holder: Any = data
        for step in fault.at[:-1]:
            holder = holder[step]
        holder[fault.at[-1]] = copy.deepcopy(fault.put)
    return data


@st.composite
def planted_cases(draw: DrawFn) -> tuple[Case, tuple[str, ...]]:
    """Generate a case with two to six faults that do not hide each other, and their codes."""
    chosen: list[Fault] = []
    for fault in draw(st.permutations(faults())):
        if all(fault.is_independent_of(other) for other in chosen):
            chosen.append(fault)
    chosen = chosen[: draw(st.integers(2, _MOST))]
    text = draw(written(planted(chosen)))
    about = tuple(f"{fault.code} planted at {'.'.join(map(str, fault.at))}" for fault in chosen)
    return Case(files={MAIN: text.encode()}, about=about), tuple(fault.code for fault in chosen)


def unreported(case: Case, codes: tuple[str, ...]) -> Iterator[Finding]:
    """Yield a finding for each planted fault that is not reported."""
    with case.written() as folder:
        reported = [diagnostic.code for diagnostic in case.load(folder).diagnostics]
    for code in sorted(set(codes)):
        if reported.count(code) < codes.count(code):
            yield Finding("each planted fault is reported", f"{code} is not reported with {', '.join(codes)}")
