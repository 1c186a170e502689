"""Counts of a fuzz run, its codes and keys, and each finding with its shortest case."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from config.profile.source.yaml_source import read_yaml
from config.review import codes as review_codes
from config.rules import deployed
from config.rules.codes import CODES
from scripts.tools.fuzz.case import Case
from scripts.tools.fuzz.checks.properties import Checked
from scripts.tools.fuzz.finding import Finding, Found
from scripts.tools.fuzz.values.schema_values import every_key, keys_in

_UNREACHED = Path(__file__).with_name("unreached.yaml")


@cache
def profile_codes() -> frozenset[str]:
    """Return the codes that a profile can cause; codes about templates and changes are not included."""
    others = {code.code for code in (*deployed.CODES, *review_codes.CODES)}
    return frozenset(CODES) - others


@cache
def explained() -> dict[str, str]:
    """Return the codes that generated profiles cannot reach, each with the reason."""
    rows: dict[str, str] = yaml.safe_load(_UNREACHED.read_text(encoding="utf-8")) or {}
    return rows


@dataclass
class Tally:
    """Counts of one run; `accepted_cases` has one accepted case for each design."""

    counts: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    ways: Counter[str] = field(default_factory=Counter)
    keys: set[str] = field(default_factory=set)
    found: dict[str, Found] = field(default_factory=dict)
    accepted_cases: list[Case] = field(default_factory=list)
    _designs: set[str] = field(default_factory=set)

    def add(self, checked: Checked) -> None:
        """Count one validation."""
        self.counts["validations"] += 1
        self.ways.update(checked.case.about)
        for name in checked.case.files:
            self.keys.update(keys_in(_data(checked.case, name)))
        self.note(checked.case, checked.findings)
        cluster = checked.cluster
        if cluster is None:
            return
        self.codes.update(diagnostic.code for diagnostic in cluster.diagnostics)
        state = "accepted" if cluster.design else "rejected"
        self.counts[state] += 1
        if cluster.design is not None and (design := repr(cluster.design)) not in self._designs:
            self._designs.add(design)
            self.accepted_cases.append(checked.case)

    def note(self, case: Case, findings: tuple[Finding, ...]) -> None:
        """Keep each finding with the shortest case that shows it."""
        for finding in findings:
            before = self.found.get(finding.kind)
            if before is None or _size(case) < _size(before.case):
                self.found[finding.kind] = Found(finding, case)

    @property
    def keys_never_generated(self) -> list[str]:
        """Return the keys of the schema that the cases did not set."""
        return sorted(every_key() - self.keys)

    @property
    def codes_never_reached(self) -> list[str]:
        """Return the codes that no case reached and that `explained` does not contain."""
        return sorted(profile_codes() - set(self.codes) - set(explained()))

    @property
    def summary(self) -> str:
        """Return the counts of the run in one line."""
        reached = len(profile_codes() & set(self.codes))
        names = ("validations", "accepted", "rejected", "planted", "synthesized", "deployed")
        counted = [f"{self.counts[name]} {name}" for name in names]
        codes = f"{reached} of {len(profile_codes())} codes, {len(self.keys)} of {len(every_key())} keys"
        return f"{', '.join(counted)}; {codes}; {len(self.found)} findings"


def _data(case: Case, name: str) -> Any:
    return read_yaml(case.text(name)).data


def _size(case: Case) -> int:
    return sum(map(len, case.files.values()))
