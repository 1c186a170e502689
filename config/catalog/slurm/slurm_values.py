"""Values of Slurm settings: their types, and hints for invalid values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Literal

from config.catalog.files import read_one
from config.catalog.slurm.pcs import SettingsOf

File = SettingsOf | Literal["slurmdbd", "cgroup"]

_DURATION = re.compile(r"\d{1,7}(:\d{1,7}){0,2}|\d{1,4}-\d{1,7}(:\d{1,7}){0,2}")
YES = ("YES", "TRUE", "1", "UP")
NO = ("NO", "FALSE", "0", "DOWN")
"""Keywords of a setting that is on or off (parse_config.c of Slurm)."""

_COUNT = "[:N]"
_PLAIN: Mapping[str, tuple[re.Pattern[str], str]] = {
    "path": (re.compile(r"/.*"), "write an absolute path"),
    "decimal": (re.compile(r"\d+(\.\d+)?"), "write a percentage as a number"),
    "period": (
        re.compile(r"\d+ *(hours?|days?|months?)?", re.I),
        "write a time, for example 12months or 60days",
    ),
    "codes": (
        re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*"),
        "write numbers separated by commas, for example 1-9,18",
    ),
    "ports": (re.compile(r"\d+-\d+"), "write a range of ports, for example 60001-63000"),
    "weights": (
        re.compile(r"[\w/:-]+=-?\d+(\.\d+)?[KMGTP]?(,[\w/:-]+=-?\d+(\.\d+)?[KMGTP]?)*", re.I),
        "write NAME=NUMBER pairs separated by commas, for example CPU=1.0,Mem=0.25G",
    ),
}
"""Types of values with one pattern, and the hint if a value does not match."""

KINDS = frozenset(("text", "flag", "time", "number", "one", "words", *_PLAIN))
"""All types of values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmValue:
    """The value of a setting: its type, its keywords or limits, and the unit of a number, if any."""

    kind: str
    keywords: tuple[str, ...] = ()
    minimum: int = 0
    maximum: int | None = None
    unit: str | None = None

    def hint_for(self, value: str) -> str | None:
        """Return a hint for an invalid value; None if Slurm accepts the value, in upper or lower case."""
        if self.kind == "text":
            return None
        if self.kind in _PLAIN:
            form, hint = _PLAIN[self.kind]
            return None if form.fullmatch(value) else hint
        if self.kind == "flag":
            return None if value.upper() in YES + NO else "write YES or NO"
        if self.kind == "words":
            parts = [part.strip() for part in value.split(",")]
            return (
                None
                if all(map(self._is_keyword, parts))
                else f"write one or more of {self._listed()}, separated by commas"
            )
        if self._is_keyword(value):
            return None
        if self.kind == "one":
            return f"write {'one of ' if len(self.keywords) > 1 else ''}{self._listed()}"
        if self.kind == "time":
            more = f", or {' or '.join(self.keywords)}" if self.keywords else ""
            shape = "write minutes, or DAYS-HOURS:MINUTES:SECONDS, for example 1-12:00:00"
            return None if _DURATION.fullmatch(value) else shape + more
        return self._other_number(value)

    def description(self) -> str:
        """Return a description of valid values, for example `a whole number from 0 to 65535 (s)`."""
        return (self.hint_for("\n") or "anything").removeprefix("write ")

    def _is_keyword(self, value: str) -> bool:
        return any(_matches(keyword, value) for keyword in self.keywords)

    def _listed(self) -> str:
        return ", ".join(keyword.replace(_COUNT, " (optionally with :N)") for keyword in self.keywords)

    def _other_number(self, value: str) -> str | None:
        inside = (
            value.isdecimal()
            and self.minimum <= int(value)
            and (self.maximum is None or int(value) <= self.maximum)
        )
        if inside:
            return None
        unit = f" ({self.unit})" if self.unit else ""
        span = (
            f"from {self.minimum} to {self.maximum}"
            if self.maximum is not None
            else f"of at least {self.minimum}"
        )
        return f"write a whole number {span}{unit}" + "".join(f", or {keyword}" for keyword in self.keywords)


def _matches(keyword: str, value: str) -> bool:
    stem, count = keyword.removesuffix(_COUNT).upper(), value.upper().partition(":")
    if keyword.endswith(_COUNT) and count[1]:
        return count[0] == stem and count[2].isdecimal() and int(count[2]) > 0
    return value.upper() == stem


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmValues:
    """Values by file and setting; `of_the_service` are settings that PCS manages.

    `of_accounting` are settings that require accounting. `needs` maps a setting to the cluster setting that
    it requires.
    """

    values: Mapping[File, Mapping[str, SlurmValue]] = field(hash=False)
    of_the_service: Mapping[str, frozenset[str]] = field(hash=False)
    of_accounting: frozenset[str]
    needs: Mapping[str, str] = field(hash=False)


def value_of(text: str) -> SlurmValue:
    """Parse the notation of the data file: `number 0 65535 s`, `one ALL ANY NO`, `time UNLIMITED`."""
    kind, *rest = text.split()
    if kind != "number":
        return SlurmValue(kind=kind, keywords=tuple(rest))
    minimum, maximum, unit, *keywords = rest
    return SlurmValue(
        kind=kind,
        keywords=tuple(keywords),
        minimum=int(minimum),
        maximum=None if maximum == "-" else int(maximum),
        unit=None if unit == "-" else unit,
    )


@cache
def slurm_values() -> SlurmValues:
    """Return the facts; the file is read on the first call."""
    document = read_one("slurm-settings")
    return SlurmValues(
        values=MappingProxyType(
            {
                file: MappingProxyType({name: value_of(text) for name, text in settings.items()})
                for file, settings in document["values"].items()
            }
        ),
        of_the_service=MappingProxyType(
            {file: frozenset(names.split()) for file, names in document["of_the_service"].items()}
        ),
        of_accounting=frozenset(" ".join(document["of_accounting"]).split()),
        needs=document["needs"],
    )
