"""A plan as Markdown, for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from config.diagnostics import Diagnostic, Severity, counted
from scripts.cli.plan.document import Document, Fact, Line, Part, Section, Table, Verbatim
from scripts.cli.review.forms.markdown import code, plain

MAX_CHARACTERS = 60_000
"""GitHub takes comments of up to 65,536 characters; a workflow may add a few of its own."""

_OPEN = ("compute", "price")
"""Sections that are shown as they are: what it is, and what it costs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Room:
    """How much of each part is shown: rows of a table, findings, and how many sections."""

    rows: int
    findings: int
    sections: int


_ROOMS = (
    _Room(rows=1_000_000, findings=1_000_000, sections=1_000_000),
    *(_Room(rows=rows, findings=1_000_000, sections=1_000_000) for rows in (100, 30, 10)),
    *(_Room(rows=10, findings=findings, sections=1_000_000) for findings in (60, 30, 15)),
    *(_Room(rows=5, findings=15, sections=sections) for sections in (6, 3, 1, 0)),
)
"""From everything to least: errors are shown first and longest, what is left out is counted."""


def as_markdown(document: Document) -> str:
    """The whole plan, or as much as one comment takes; a line says what is left out."""
    text = ""
    for room in _ROOMS:
        text = _page(document, room)
        if len(text) <= MAX_CHARACTERS:
            return text
    return f"{text[:MAX_CHARACTERS]}\n\n(cut off: a comment takes no more)\n"


def _page(document: Document, room: _Room) -> str:
    name, *others = document.lead
    parts = [f"### Plan: {code(document.title)}", plain(name.text)]
    parts += ["\n".join(f"- {plain(line.text)}" for line in others)] if others else []
    parts += _findings(document.diagnostics, room)
    shown = document.sections[: room.sections]
    parts += [part for section in shown for part in _section(section, room)]
    left = document.sections[room.sections :]
    if left:
        parts.append(f"Left out, since a comment takes no more: {', '.join(plain(s.title) for s in left)}.")
    if room != _ROOMS[0]:
        parts.append("Shortened to fit a comment: `ultracluster plan` shows all of it.")
    return "\n\n".join(parts) + "\n"


def _findings(diagnostics: tuple[Diagnostic, ...], room: _Room) -> Iterator[str]:
    """Errors and warnings as they are; notes and what is waived behind a click."""
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
        yield f"and {len(diagnostics) - len(shown):,} findings more"


def _finding(found: Diagnostic) -> str:
    address = found.source.startswith("https://") and not set(found.source) & set(" ()<>")
    source = f"[source]({found.source})" if address else f"source: {plain(found.source)}"
    at = f" at {code(f'{found.file}:{found.line}' if found.line else found.file)}" if found.file else ""
    mark = "" if found.waived is None else "waived "
    lines = [f"- **{mark}{found.severity} {found.code}** {code(found.path)}: {plain(found.message)}{at}"]
    if found.waived is not None:
        lines.append(f"  waived: {plain(found.waived)}")
    lines.append(f"  hint: {plain(found.hint)} ({source})" if found.hint else f"  {source}")
    return "  \n".join(lines)


def _section(section: Section, room: _Room) -> Iterator[str]:
    body = "\n\n".join(_parts(section.parts, room))
    if section.title in _OPEN:
        yield f"#### {plain(section.title)}"
        yield body
    else:
        yield _folded(section.title, body)


def _folded(title: str, body: str) -> str:
    # Markdown inside needs an empty line before it; the title is HTML
    return f"<details><summary><b>{_html(title)}</b></summary>\n\n{body}\n\n</details>"


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
    """An address by itself stays an address."""
    return f"<{text}>" if text.startswith("https://") and not set(text) & set(" <>") else plain(text)


def _table(table: Table, room: _Room) -> str:
    rule = ["---:" if number in table.right else "---" for number in range(len(table.headings))]
    rows = [table.headings, *table.rows[: room.rows]]
    head, *body = (_row([plain(cell) for cell in row]) for row in rows)
    left = len(table.rows) - len(body)
    more = [f"\nand {left:,} rows more"] if left else []
    return "\n".join([head, _row(rule), *body, *more])


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _fenced(lines: tuple[str, ...]) -> str:
    fence = "```"
    while any(fence in line for line in lines):
        fence += "`"
    return "\n".join([f"{fence}text", *lines, fence])


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
