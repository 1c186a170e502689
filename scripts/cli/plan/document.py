"""The document of a plan for all output forms: sections of lines, facts, tables and verbatim text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from config.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A sentence without a name."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A named fact; a fact with an empty name continues the fact before it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows under headings; the columns in `right` contain numbers and are aligned right."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verbatim:
    """Lines that are printed unchanged: commands to copy, and text in aligned columns."""

    lines: tuple[str, ...]


Part: TypeAlias = Line | Fact | Table | Verbatim


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The parts under one heading."""

    title: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The text of a plan. `lead` is the summary before the first heading, and the findings are last."""

    title: str
    lead: tuple[Line, ...]
    sections: tuple[Section, ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(slots=True)
class Writer:
    """Collector for the sections of a plan, in their order."""

    _sections: list[tuple[str, list[Part]]] = field(default_factory=lambda: [("", [])])

    def heading(self, text: str) -> None:
        """Start a section."""
        self._sections.append((printable(text), []))

    def line(self, text: str) -> None:
        """Add a sentence."""
        self._add(Line(text=printable(text)))

    def fact(self, name: str, text: str) -> None:
        """Add a named fact."""
        self._add(Fact(name=printable(name), text=printable(text)))

    def table(
        self, headings: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()
    ) -> None:
        """Add a table; `right` lists the columns of numbers."""
        cells = tuple(tuple(printable(cell) for cell in row) for row in rows)
        named = tuple(printable(text) for text in headings)
        self._add(Table(headings=named, rows=cells, right=frozenset(right)))

    def verbatim(self, text: str) -> None:
        """Add lines that are printed unchanged; consecutive calls form one paragraph."""
        lines, parts = tuple(printable(line) for line in text.splitlines()), self._sections[-1][1]
        if parts and isinstance(parts[-1], Verbatim):
            lines = parts.pop().lines + lines  # type: ignore[union-attr]  # the line above checks the type
        self._add(Verbatim(lines=lines))

    def document(self, title: str, diagnostics: Iterable[Diagnostic]) -> Document:
        """Return the document; the parts before the first heading must be lines."""
        (_, lead), *sections = self._sections
        return Document(
            title=printable(title),
            lead=tuple(part for part in lead if isinstance(part, Line)),
            sections=tuple(Section(title=name, parts=tuple(parts)) for name, parts in sections if parts),
            diagnostics=tuple(diagnostics),
        )

    def _add(self, part: Part) -> None:
        self._sections[-1][1].append(part)


def amount(count: float, noun: str, plural: str = "") -> str:
    """Return `1 node` or `2,000 nodes`; set `plural` if the plural is not the noun with an `s`."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def printable(text: str) -> str:
    """Return text on one line; control characters, which could move a terminal's cursor, are escaped."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else " " if char.isspace() else char.encode("unicode_escape").decode()
        for char in text
    )
