"""The text form of a plan: colours and wrapped lines on a terminal, whole lines in a file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from scripts.cli.output import column_widths, console, table_of, write_diagnostics
from scripts.cli.plan.document import Document, Fact, Line, Part, Section, Table, Verbatim

_TITLE, _HEADING, _NAME = "bold", "bold cyan", "cyan"
_NAMES_LEAST, _NAMES_MOST = 7, 17
_GAP = 2


def write_text(document: Document, file: TextIO) -> None:
    """Print a plan, then its findings."""
    out = console(file)
    for number, line in enumerate(document.lead):
        out.print(Text(line.text, style=_TITLE if number == 0 else ""))
    for section in document.sections:
        _write_section(out, section)
    if document.diagnostics:
        out.print(Text("\nfindings", style=_HEADING))
        write_diagnostics(document.diagnostics, out=out)


def _write_section(out: Console, section: Section) -> None:
    out.print(Text(f"\n{section.title}", style=_HEADING))
    for kind, parts in groupby(section.parts, type):
        if kind is Fact:
            # consecutive facts share one column of names
            _write_facts(out, [part for part in parts if isinstance(part, Fact)])
        else:
            for part in parts:
                _write_part(out, part)


def _write_part(out: Console, part: Part) -> None:
    if isinstance(part, Line):
        out.print(Text(part.text))
    elif isinstance(part, Verbatim):
        for text in part.lines:
            out.print(f"  {text}", soft_wrap=True)
    elif isinstance(part, Table):
        widths = column_widths([part.headings, *part.rows], out.width)
        if widths is None:
            _write_facts(out, list(_stacked(part)))
        else:
            out.print(table_of(part.headings, part.rows, widths, right=part.right))


def _stacked(table: Table) -> Iterator[Fact]:
    """Yield one fact for each row of a table that is too wide; empty cells are omitted."""
    for name, *others in table.rows:
        pairs = zip(table.headings[1:], others, strict=True)
        yield Fact(
            name=f"{table.headings[0]} {name}" if 0 in table.right else name,  # a number needs its heading
            text=", ".join(f"{heading} {text}" for heading, text in pairs if text not in ("", "-")),
        )


def _write_facts(out: Console, facts: list[Fact]) -> None:
    widths = [cell_len(fact.name) for fact in facts]
    column = max([_NAMES_LEAST, *(width for width in widths if width <= _NAMES_MOST)])
    for fact, width in zip(facts, widths, strict=True):
        name = Text(fact.name, style=_NAME)
        if fact.text.startswith("https://"):  # a URL is not wrapped, so that it can be clicked and copied
            name.append(" " * (max(column - width, 0) + _GAP) + fact.text, style="default")
            out.print(name, soft_wrap=True)
            continue
        if width > out.width // 2:  # the text of a long name starts on the next line
            out.print(name)
            out.print(Padding(Text(fact.text), (0, 0, 0, column + _GAP)))
            continue
        grid = Grid.grid(padding=(0, _GAP))
        grid.add_column(min_width=column, no_wrap=True)
        grid.add_column(overflow="fold")
        grid.add_row(name, Text(fact.text))
        out.print(grid)
