"""How the command line writes: JSON for programs, text for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from config.diagnostics import Diagnostic, Severity

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}


def console(*, stderr: bool = False) -> Console:
    """The terminal as it is now: its width (80 where there is none) and its colours; NO_COLOR is honoured."""
    return Console(file=sys.stderr if stderr else sys.stdout, highlight=False, soft_wrap=False, markup=False)


def write_json(value: Any) -> None:
    """One JSON value on standard output."""
    print(json.dumps(value, indent=2))


def heading(text: str) -> None:
    """An empty line and a heading."""
    console().print(Text(f"\n{text}", style="bold"))


def line(text: str, *, indent: int = 0, stderr: bool = False) -> None:
    """One line of text, wrapped with a hanging indent."""
    console(stderr=stderr).print(Padding(Text(text), (0, 0, 0, indent)))


def fact(name: str, text: str) -> None:
    """A named fact: the name in a column of its own."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(min_width=7, no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(name, text)
    console().print(grid)


def write_table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()) -> None:
    """A table without lines; cells wrap where the terminal is narrow."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    aligned = set(right)
    for number, text in enumerate(headings):
        table.add_column(text, justify="right" if number in aligned else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    console().print(table)


def write_diagnostics(diagnostics: Iterable[Diagnostic], *, stderr: bool = False) -> None:
    """Diagnostics as text: what is wrong, where, what to write instead, and who says so."""
    out = console(stderr=stderr)
    for diagnostic in diagnostics:
        head = Text(f"{diagnostic.severity}[{diagnostic.code}]", style=_STYLES[diagnostic.severity])
        head.append(f" {diagnostic.path}: {diagnostic.message}", style="default")
        out.print(head)
        # places and addresses stay whole, to be clicked and copied
        if diagnostic.file:
            at = f"{diagnostic.file}:{diagnostic.line}" if diagnostic.line else diagnostic.file
            out.print(f"  at: {at}", soft_wrap=True)
        grid = Table.grid(padding=(0, 1))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        grid.add_row("  hint:", diagnostic.hint)
        out.print(grid)
        out.print(f"  source: {diagnostic.source}", soft_wrap=True)
