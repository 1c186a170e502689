"""Waivers that are added, removed or changed between two templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from config.rules.codes import CODES
from config.rules.waivers import declared_in, waived_in
from scripts.cloud.template.document import Template


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverChange:
    """One waiver that differs; `before` and `after` are the reasons in OLD and NEW.

    `holds` is False if the waiver has no effect, because its code does not exist or cannot be waived.
    """

    code: str
    action: Literal["added", "removed", "changed"]
    before: str | None
    after: str | None
    holds: bool

    @property
    def sentence(self) -> str:
        """Return the change in one line."""
        nothing = "" if self.holds else "; it has no effect, because this code cannot be waived"
        if self.action == "changed":
            return f"the waiver of {self.code} is changed: {self.after} (before: {self.before}){nothing}"
        return f"the waiver of {self.code} is {self.action}: {self.after or self.before}{nothing}"


def waivers_of(template: Template) -> Mapping[str, str]:
    """Return the effective waivers of a template."""
    return waived_in(template.body.get("Metadata"), CODES)


def waiver_changes(old: Template, new: Template) -> Iterator[WaiverChange]:
    """Yield every waiver that differs, by code."""
    before, after = (declared_in(template.body.get("Metadata")) for template in (old, new))
    for code in sorted(before.keys() | after.keys()):
        was, will = before.get(code), after.get(code)
        if was == will:
            continue
        yield WaiverChange(
            code=code,
            action="added" if was is None else "removed" if will is None else "changed",
            before=was,
            after=will,
            holds=code in CODES and CODES[code].waivable,
        )
