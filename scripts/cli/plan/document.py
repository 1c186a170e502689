"""A plan as a document that no form is preferred in: sections of lines, facts, tables and texts to copy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from config.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A sentence by itself."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A named fact; without a name it goes on about the one before."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows under headings; the columns in `right` hold figures and end at the right."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verbatim:
    """Lines that stay as they are: commands to copy, and what is aligned by its letters."""

    lines: tuple[str, ...]


Part: TypeAlias = Line | Fact | Table | Verbatim


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What is told under one heading."""

    title: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A plan in words: `lead` says what it is, before the first heading; the findings come last."""

    title: str
    lead: tuple[Line, ...]
    sections: tuple[Section, ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(slots=True)
class Writer:
    """What the sections of a plan are written to, in their order."""

    _sections: list[tuple[str, list[Part]]] = field(default_factory=lambda: [("", [])])

    def heading(self, text: str) -> None:
        """Begin a section."""
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
        """Add a table; `right` are the columns of figures."""
        cells = tuple(tuple(printable(cell) for cell in row) for row in rows)
        named = tuple(printable(text) for text in headings)
        self._add(Table(headings=named, rows=cells, right=frozenset(right)))

    def verbatim(self, text: str) -> None:
        """Add lines that stay as they are; those that follow each other are one text."""
        lines, parts = tuple(printable(line) for line in text.splitlines()), self._sections[-1][1]
        if parts and isinstance(parts[-1], Verbatim):
            lines = parts.pop().lines + lines  # type: ignore[union-attr]  # the line above says which it is
        self._add(Verbatim(lines=lines))

    def document(self, title: str, diagnostics: Iterable[Diagnostic]) -> Document:
        """All that was written; what came before the first heading must be sentences."""
        (_, lead), *sections = self._sections
        return Document(
            title=printable(title),
            lead=tuple(part for part in lead if isinstance(part, Line)),
            sections=tuple(Section(title=name, parts=tuple(parts)) for name, parts in sections if parts),
            diagnostics=tuple(diagnostics),
        )

    def _add(self, part: Part) -> None:
        self._sections[-1][1].append(part)


def printable(text: str) -> str:
    """What users wrote, in one line, without signs that move a terminal's cursor."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else " " if char.isspace() else char.encode("unicode_escape").decode()
        for char in text
    )
