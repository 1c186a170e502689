"""Data of a proof: links with their state, evidence, locations and sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from config.records import copied


class State(StrEnum):
    """State of a link of the chain."""

    HOLDS = "holds"
    BROKEN = "broken"
    NOT_NEEDED = "not needed"
    SERVICE = "left to the service"
    YOURS = "left to you"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The location of a value.

    `artefact` is a template, a script bundle or a job. `at` is the logical id, the file, or the object in the
    artefact. `path` contains the JSON keys that lead to the value; keys inside a text value follow them.
    `line` starts at 1.
    """

    artefact: str
    at: str
    path: str = ""
    line: int | None = None

    def below(self, path: str) -> Place:
        """Return a location one level down."""
        joined = path if not self.path else f"{self.path}{'' if path.startswith('[') else '.'}{path}"
        return replace(self, path=joined)

    def within(self, path: str) -> Place:
        """Return a location inside a text value, such as chart values or a manifest."""
        return replace(self, path=f"{self.path} > {path}")

    def as_text(self) -> str:
        """Return a text: `p6-b200 OrchestrationGroup Properties.AmiType`, or `BUNDLE/settings.env:27`."""
        if self.line is not None and not self.path:
            return f"{self.artefact}/{self.at}:{self.line}"
        line = f" line {self.line}" if self.line is not None else ""
        return " ".join(part for part in (self.artefact, self.at, self.path) if part) + line


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One link of the chain. Its `subject` is a group of nodes or a file system.

    `evidence` is the value that was read, or the error of a broken link. `why` is the reason why EFA needs
    the link.
    """

    name: str
    subject: str
    title: str
    state: State
    evidence: str
    where: tuple[Place, ...]
    why: str
    source: str

    @property
    def broken(self) -> bool:
        """Return whether the link is broken."""
        return self.state is State.BROKEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """All links of a group of nodes or a file system, in the order of the check."""

    subject: str
    kind: str
    summary: str
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The proof of one profile's fabric.

    `chains` has a chain for each group with EFA, and for each file system that is used over EFA. `without`
    has the reason why each of the remaining groups and file systems has no chain. `verdict` is a summary in
    one sentence.
    """

    fabric: str
    profile: str
    orchestrator: str | None
    chains: tuple[Chain, ...]
    without: tuple[str, ...]
    verdict: str

    @property
    def links(self) -> tuple[Link, ...]:
        """Return the links of all chains, in the order in which the proof checks them."""
        return tuple(link for chain in self.chains for link in chain.links)

    @property
    def broken(self) -> tuple[Link, ...]:
        """Return the broken links."""
        return tuple(link for link in self.links if link.broken)

    def count(self, state: State) -> int:
        """Return the number of links in a state."""
        return sum(link.state is state for link in self.links)

    def as_dict(self) -> dict[str, Any]:
        """Return the proof as JSON data."""
        return {
            "fabric": self.fabric,
            "profile": self.profile,
            "orchestrator": self.orchestrator,
            "verdict": self.verdict,
            "holds": not self.broken,
            "counts": {state.value: self.count(state) for state in State},
            "chains": [asdict(chain) for chain in self.chains],
            "without": list(self.without),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Name, title, reason and source of a link, which do not depend on the artefacts."""

    name: str
    title: str
    why: str
    source: str


@dataclass(frozen=True, slots=True)
class Maker:
    """Creates the links of one subject."""

    subject: str

    def holds(self, named: Named, evidence: str, *where: Place, source: str = "") -> Link:
        """Return a link that is met."""
        return self._link(named, State.HOLDS, evidence, where, source)

    def broken(self, named: Named, faults: Sequence[str], *where: Place, source: str = "") -> Link:
        """Return a broken link with all of its faults."""
        return self._link(named, State.BROKEN, "; ".join(faults), where, source)

    def judged(
        self,
        named: Named,
        faults: Sequence[str],
        evidence: str,
        where: Iterable[Place],
        source: str = "",
    ) -> Link:
        """Return a link that is met if there are no faults, otherwise a broken link."""
        places = tuple(dict.fromkeys(where))
        if faults:
            return self.broken(named, faults, *places, source=source)
        return self.holds(named, evidence, *places, source=source)

    def not_needed(self, named: Named, reason: str, *where: Place, source: str = "") -> Link:
        """Return a link that this subject does not need."""
        return self._link(named, State.NOT_NEEDED, reason, where, source)

    def service(self, named: Named, reason: str, *where: Place, source: str = "") -> Link:
        """Return a link that the service provides; `source` is its documentation."""
        return self._link(named, State.SERVICE, reason, where, source)

    def yours(self, named: Named, reason: str, *where: Place, source: str = "") -> Link:
        """Return a link that depends on the user's own image or scripts, which are not generated."""
        return self._link(named, State.YOURS, reason, where, source)

    def _link(self, named: Named, state: State, evidence: str, where: tuple[Place, ...], source: str) -> Link:
        facts = {"subject": self.subject, "state": state, "evidence": evidence, "where": where}
        return copied(Link, named, **facts, source=source or named.source)
