"""What a proof says: links, each with what it is, whether it holds, where it stands and who says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from config.records import copied


class State(StrEnum):
    """Whether a link of the chain holds."""

    HOLDS = "holds"
    BROKEN = "broken"
    NOT_NEEDED = "not needed"
    SERVICE = "left to the service"
    YOURS = "left to you"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a value stands.

    `artefact` is a template, a bundle of scripts or a job; `at` the logical id, the file or the object in it;
    `path` the keys down to the value, of JSON and then of what is written in it; `line` counts from 1.
    """

    artefact: str
    at: str
    path: str = ""
    line: int | None = None

    def below(self, path: str) -> Place:
        """A place further down."""
        joined = path if not self.path else f"{self.path}{'' if path.startswith('[') else '.'}{path}"
        return replace(self, path=joined)

    def within(self, path: str) -> Place:
        """A place in what is written here as text: the values of a chart, a manifest."""
        return replace(self, path=f"{self.path} > {path}")

    def as_text(self) -> str:
        """`p6-b200 OrchestrationGroup Properties.AmiType`, or `BUNDLE/settings.env:27`."""
        if self.line is not None and not self.path:
            return f"{self.artefact}/{self.at}:{self.line}"
        line = f" line {self.line}" if self.line is not None else ""
        return " ".join(part for part in (self.artefact, self.at, self.path) if part) + line


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One link of the chain, of a group of nodes or a file system (`subject`).

    `evidence` is what was read; of a broken link, what is wrong with it. `why` says what EFA needs it for.
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
        """Whether the chain breaks here."""
        return self.state is State.BROKEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """All links of one subject, in the order of the walk: a group of nodes, or a file system."""

    subject: str
    kind: str
    summary: str
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The proof of one profile's fabric.

    `chains` are those of groups with EFA, and of file systems that are reached over it. `without` says of
    each other group and file system why it has none; `verdict` is the whole in one sentence.
    """

    fabric: str
    profile: str
    orchestrator: str | None
    chains: tuple[Chain, ...]
    without: tuple[str, ...]
    verdict: str

    @property
    def links(self) -> tuple[Link, ...]:
        """Every link, in the order of the walk."""
        return tuple(link for chain in self.chains for link in chain.links)

    @property
    def broken(self) -> tuple[Link, ...]:
        """Where the chain breaks."""
        return tuple(link for link in self.links if link.broken)

    def count(self, state: State) -> int:
        """How many links are in a state."""
        return sum(link.state is state for link in self.links)

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
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
    """What a link is called, what it is for and who says so: the same whatever was read."""

    name: str
    title: str
    why: str
    source: str


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes the links of one subject."""

    subject: str

    def holds(self, named: Named, evidence: str, *where: Place, source: str = "") -> Link:
        """A link that holds."""
        return self._link(named, State.HOLDS, evidence, where, source)

    def broken(self, named: Named, faults: Sequence[str], *where: Place, source: str = "") -> Link:
        """A link that does not hold, with all that is wrong."""
        return self._link(named, State.BROKEN, "; ".join(faults), where, source)

    def judged(
        self,
        named: Named,
        faults: Sequence[str],
        evidence: str,
        where: Iterable[Place],
        source: str = "",
    ) -> Link:
        """A link that holds where nothing is wrong."""
        places = tuple(dict.fromkeys(where))
        if faults:
            return self.broken(named, faults, *places, source=source)
        return self.holds(named, evidence, *places, source=source)

    def not_needed(self, named: Named, reason: str, *where: Place, source: str = "") -> Link:
        """A link that this subject does not need."""
        return self._link(named, State.NOT_NEEDED, reason, where, source)

    def service(self, named: Named, reason: str, *where: Place, source: str = "") -> Link:
        """A link that the service makes itself; `source` is where it says so."""
        return self._link(named, State.SERVICE, reason, where, source)

    def yours(self, named: Named, reason: str, *where: Place, source: str = "") -> Link:
        """A link in what the user brings, which no generated file shows."""
        return self._link(named, State.YOURS, reason, where, source)

    def _link(self, named: Named, state: State, evidence: str, where: tuple[Place, ...], source: str) -> Link:
        facts = {"subject": self.subject, "state": state, "evidence": evidence, "where": where}
        return copied(Link, named, **facts, source=source or named.source)
