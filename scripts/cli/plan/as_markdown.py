"""The Markdown form of a plan, for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from config.diagnostics import Diagnostic, Severity, counted
from scripts.cli import markdown
from scripts.cli.markdown import MAX_CHARACTERS, code, escaped_html, finding, plain
from scripts.cli.plan.document import Document, Fact, Line, Part, Section, Table, Verbatim, amount

_OPEN = ("compute", "price")
"""Sections that are shown expanded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Room:
    """Limits of a page: rows of a table, findings and sections."""

    rows: int
    findings: int
    sections: int


_ROOMS = (
    _Room(rows=1_000_000, findings=1_000_000, sections=1_000_000),
    *(_Room(rows=rows, findings=1_000_000, sections=1_000_000) for rows in (100, 30, 10)),
    *(_Room(rows=10, findings=findings, sections=1_000_000) for findings in (60, 30, 15)),
    *(_Room(rows=5, findings=15, sections=sections) for sections in (6, 3, 1, 0)),
)
"""Limits from the largest to the smallest page: rows are omitted first, then findings, then sections."""


def as_markdown(document: Document) -> str:
    """Return the whole plan, or as much as fits in one comment; a line lists the omitted sections."""
    text = ""
    for room in _ROOMS:
        text = _page(document, room)
        if len(text) <= MAX_CHARACTERS:
            return text
    return f"{text[:MAX_CHARACTERS]}\n\n(truncated to the maximum size of a comment)\n"


def _page(document: Document, room: _Room) -> str:
    name, *others = document.lead
    parts = [f"### Plan: {code(document.title)}", plain(name.text)]
    parts += ["\n".join(f"- {plain(line.text)}" for line in others)] if others else []
    parts += _findings(document.diagnostics, room)
    shown = document.sections[: room.sections]
    parts += [part for section in shown for part in _section(section, room)]
    left = document.sections[room.sections :]
    if left:
        parts.append(f"Omitted to fit in a comment: {', '.join(plain(s.title) for s in left)}.")
    if room != _ROOMS[0]:
        parts.append("Shortened to fit in a comment. Run `ultracluster plan` to see the whole plan.")
    return "\n\n".join(parts) + "\n"


def _findings(diagnostics: tuple[Diagnostic, ...], room: _Room) -> Iterator[str]:
    """Yield errors and warnings expanded, notes and waived findings folded."""
    if not diagnostics:
        yield "**No findings.**"
        return
    yield f"**Findings: {counted(diagnostics)}**"
    shown = diagnostics[: room.findings]
    grave = [d for d in shown if d.waived is None and d.severity is not Severity.NOTE]
    others = [d for d in shown if d not in grave]
    if grave:
        yield "\n".join(_finding(diagnostic) for diagnostic in grave)
    if others:
        yield _folded(counted(others), "\n".join(_finding(diagnostic) for diagnostic in others))
    if len(shown) < len(diagnostics):
        yield f"and {amount(len(diagnostics) - len(shown), 'more finding')}"


def _finding(found: Diagnostic) -> str:
    place = f"{found.file}:{found.line}" if found.line else found.file
    return finding(found, at=f" at {code(place)}" if place else "")


def _section(section: Section, room: _Room) -> Iterator[str]:
    body = "\n\n".join(_parts(section.parts, room))
    if section.title in _OPEN:
        yield f"#### {plain(section.title)}"
        yield body
    else:
        yield _folded(section.title, body)


def _folded(title: str, body: str) -> str:
    return markdown.folded(f"<b>{escaped_html(title)}</b>", body)


def _parts(parts: tuple[Part, ...], room: _Room) -> Iterator[str]:
    for kind, same in groupby(parts, type):
        if kind in (Fact, Line):
            yield "\n".join(_item(part) for part in same)
        else:
            for part in same:
                if isinstance(part, Table):
                    yield _table(part, room)
                elif isinstance(part, Verbatim):
                    yield _fenced(part.lines)


def _item(part: Part) -> str:
    if isinstance(part, Fact):
        return f"- **{plain(part.name)}**: {_text(part.text)}" if part.name else f"- {_text(part.text)}"
    return f"- {plain(part.text.strip())}" if isinstance(part, Line) else ""


def _text(text: str) -> str:
    """Return the text; a text that is only a URL becomes a link."""
    return f"<{text}>" if text.startswith("https://") and not set(text) & set(" <>") else plain(text)


def _table(table: Table, room: _Room) -> str:
    rows = [[plain(cell) for cell in row] for row in table.rows[: room.rows]]
    left = len(table.rows) - len(rows)
    shown = markdown.table([plain(heading) for heading in table.headings], rows, table.right)
    return shown + (f"\n\nand {amount(left, 'more row')}" if left else "")


def _fenced(lines: tuple[str, ...]) -> str:
    fence = "```"
    while any(fence in line for line in lines):
        fence += "`"
    return "\n".join([f"{fence}text", *lines, fence])
