"""Output of the command line: JSON for programs, text for users."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TextIO, cast

from config.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod
    from rich.table import Table

_UNWRAPPED = 1000
_SHORT = 400
_GAP = 2
_OF_RICH = frozenset(("COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"))
"""Environment variables that let rich wrap or colour output to a file or pipe."""

_WAIVED = "dim"
_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}


class _Trimmed:
    """A stream that removes spaces at line ends, which tables add as padding."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write("\n".join(part.rstrip(" ") for part in text.split("\n")))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def console(stream: TextIO | None = None, *, stderr: bool = False) -> Console:
    """Return a console with the terminal's current width and colours; NO_COLOR and COLUMNS apply."""
    from rich.console import Console

    class Plain(Console):
        """A console that lets the command handle a closed pipe; rich itself would exit with status 1."""

        def on_broken_pipe(self) -> None:
            """Raise the error again."""
            raise

    stream = stream or (sys.stderr if stderr else sys.stdout)
    # in a log or a pipe, lines are not wrapped, so that they can be searched
    width = None if stream.isatty() or "COLUMNS" in os.environ else _UNWRAPPED
    # emoji codes are off, because ARNs contain texts such as `:secret:`
    file = cast(TextIO, _Trimmed(stream))
    return Plain(file=file, emoji=False, highlight=False, markup=False, width=width)


def write_json(value: Any) -> None:
    """Print one JSON value to standard output."""
    print(json.dumps(value, indent=2))


def heading(text: str) -> None:
    """Print an empty line and a heading."""
    from rich.text import Text

    console().print(Text(f"\n{text}", style="bold"))


def line(text: str, *, indent: int = 0, stderr: bool = False) -> None:
    """Print one line of text, wrapped with a hanging indent."""
    if not _printed([" " * indent + text], stderr=stderr):
        from rich.text import Text

        console(stderr=stderr).print(Text(" " * indent + text))


def _printed(lines: Sequence[str], *, stderr: bool) -> bool:
    """Print short lines without rich, which is slow to import; returns False if the output needs rich."""
    stream = sys.stderr if stderr else sys.stdout
    plain = all(len(text) < _SHORT and text.isprintable() for text in lines)
    if not plain or stream.isatty() or _OF_RICH & os.environ.keys():
        return False
    stream.writelines(text.rstrip(" ") + "\n" for text in lines)
    return True


def write_problem(message: str, hint: str | None) -> None:
    """Print an error and its hint to standard error."""
    line(f"error: {message}", stderr=True)
    if hint:
        _named(console(stderr=True), "hint:", hint)


def refuse(message: str, hint: str | None, *, as_json: bool = False, **more: str) -> int:
    """Print an error and its hint, also as JSON if `as_json`, and return exit status 2."""
    write_problem(message, hint)
    if as_json:
        write_json({**more, "error": message, "hint": hint})
    return 2


def verbatim(text: str) -> None:
    """Print a text to copy: indented, and never wrapped."""
    for shown in text.splitlines():
        console().print(f"  {shown}", soft_wrap=True)


def fact(name: str, text: str) -> None:
    """Print a named fact: the name in the first column, the text in the second."""
    out = console()
    if text.startswith("https://"):  # a URL is not wrapped, so that it can be clicked and copied
        out.print(f"{name:<7}  {text}", soft_wrap=True)
        return
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(min_width=7, no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(name, text)
    out.print(grid)


def write_table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()) -> None:
    """Print a table without lines; cells wrap at spaces. A table that is too wide is printed as facts."""
    out, cells, aligned = console(), [tuple(row) for row in rows], set(right)
    widths = column_widths([headings, *cells], out.width)
    if widths is None:
        for name, *others in cells:
            pairs = zip(headings[1:], others, strict=True)
            fact(name, ", ".join(f"{heading} {text}" for heading, text in pairs if text not in ("", "-")))
        return
    out.print(table_of(headings, cells, widths, right=aligned))


def table_of(
    headings: Sequence[str], rows: Iterable[Sequence[str]], widths: Sequence[int], *, right: Container[int]
) -> Table:
    """Return a table without lines, whose columns have these widths."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim")
    for number, text in enumerate(headings):
        justify: JustifyMethod = "right" if number in right else "left"
        table.add_column(text, justify=justify, overflow="fold", width=widths[number])
    for row in rows:
        table.add_row(*row)
    return table


def column_widths(rows: Sequence[Sequence[str]], available: int) -> list[int] | None:
    """Return column widths that do not break a name; None if the available width is too small."""
    from rich.cells import cell_len

    columns = list(zip(*rows, strict=True))
    widths = [max(cell_len(word) for text in column for word in (text.split() or [""])) for column in columns]
    left = available - sum(widths) - _GAP * (len(columns) - 1)
    if left < 0:
        return None
    for number, column in enumerate(columns):
        more = min(left, max(map(cell_len, column)) - widths[number])
        widths[number] += more
        left -= more
    return widths


def write_diagnostics(
    diagnostics: Iterable[Diagnostic], *, stderr: bool = False, out: Console | None = None
) -> None:
    """Print diagnostics: message, location, waiver, hint and source."""
    for diagnostic in diagnostics:
        if out is not None or not _printed(_lines_of(diagnostic), stderr=stderr):
            _write_diagnostic(diagnostic, out or console(stderr=stderr))


def _lines_of(diagnostic: Diagnostic) -> list[str]:
    waived = diagnostic.waived is not None
    label = f"{'waived ' if waived else ''}{diagnostic.severity}[{diagnostic.code}]"
    return [
        f"{label} {diagnostic.path}: {diagnostic.message}",
        *([f"  waived: {diagnostic.waived}"] if waived else ()),
        *([f"  at: {_place(diagnostic)}"] if diagnostic.file else ()),
        f"  hint: {diagnostic.hint}",
        f"  source: {diagnostic.source}",
    ]


def _place(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.file}:{diagnostic.line}" if diagnostic.line else str(diagnostic.file)


def _write_diagnostic(diagnostic: Diagnostic, out: Console) -> None:
    from rich.text import Text

    waived = diagnostic.waived is not None
    head = Text("waived " if waived else "", style=_WAIVED)
    style = _WAIVED if waived else _STYLES[diagnostic.severity]
    head.append(f"{diagnostic.severity}[{diagnostic.code}]", style=style)
    head.append(f" {diagnostic.path}: {diagnostic.message}", style="default")
    out.print(head)
    if diagnostic.waived is not None:
        _named(out, "waived:", diagnostic.waived)
    # paths and URLs are not wrapped, so that they can be clicked and copied
    if diagnostic.file:
        out.print(f"  at: {_place(diagnostic)}", soft_wrap=True)
    _named(out, "hint:", diagnostic.hint)
    out.print(f"  source: {diagnostic.source}", soft_wrap=True)


def _named(out: Console, name: str, text: str) -> None:
    from rich.table import Table

    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(f"  {name}", text)
    out.print(grid)
