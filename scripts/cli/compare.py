"""The `ultracluster compare` command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from config.cluster import Cluster, load_cluster
from config.design.model import Design
from config.design.report.comparison import Comparison, Figure, Value, compare
from config.diagnostics import Severity
from scripts.cli.markdown import table
from scripts.cli.output import (
    column_widths,
    console,
    heading,
    line,
    refuse,
    write_diagnostics,
    write_json,
    write_table,
)
from scripts.cli.shell import SHELL_RULES

_SIDE_BY_SIDE = 4
_LEAST = 2
_BEST = "*"
_WHOLE_FROM = 100


def show_comparison(profiles: Sequence[str], *, orchestrator: str | None, form: str) -> int:
    """Print profiles side by side; report a profile with errors, omit it, and set the exit status."""
    if len(profiles) < _LEAST:
        return refuse("compare needs at least two profiles", "pass at least two profiles")
    clusters = [load_cluster(profile, orchestrator=orchestrator, further=SHELL_RULES) for profile in profiles]
    designs = [(cluster, cluster.design) for cluster in clusters if cluster.design is not None]
    refused = [cluster for cluster in clusters if cluster.design is None]
    found = compare([design for _, design in designs], _names(designs)) if designs else None
    if form == "json":
        write_json({"comparison": found.as_dict() if found else None, "refused": _refused(refused)})
    elif found is not None and form == "markdown":
        print(_markdown(found))
    elif found is not None:
        _write_text(found)
    if form != "json":
        for cluster in refused:
            errors = [found for found in cluster.diagnostics if found.severity is Severity.ERROR]
            write_diagnostics(errors, stderr=True)
            line(f"{cluster.argument}: not compared, because it has errors", stderr=True)
    return max(cluster.exit_status for cluster in clusters)


def _names(designs: Sequence[tuple[Cluster, Design]]) -> list[str]:
    """Return a distinct name for each profile.

    The name is the profile's name. If two profiles have the same name, their arguments on the command line
    are used instead; equal arguments get a number.
    """
    names = Counter(design.profile.name for _, design in designs)
    counts = Counter(cluster.argument for cluster, _ in designs)
    return [
        design.profile.name
        if names[design.profile.name] == 1
        else cluster.argument
        if counts[cluster.argument] == 1
        else f"{cluster.argument} ({number + 1})"
        for number, (cluster, design) in enumerate(designs)
    ]


def _refused(clusters: Sequence[Cluster]) -> list[dict[str, object]]:
    return [
        {"profile": one.argument, "diagnostics": [found.as_dict() for found in one.diagnostics]}
        for one in clusters
    ]


def _write_text(found: Comparison) -> None:
    """Print up to four profiles side by side, as the width allows, and further profiles below."""
    whole = [("", *found.profiles), *((_label(figure), *_cells(figure)) for figure in found.figures)]
    count = min(_SIDE_BY_SIDE, len(found.profiles))
    everything = whole
    if not all(_unwrapped(part) for part in _parts(whole, count)):
        everything = [tuple(_breakable(cell) for cell in row) for row in whole]
    while count > 1 and not all(_room(part) for part in _parts(everything, count)):
        count -= 1
    for number, part in enumerate(_parts(everything, count)):
        if number:
            heading("")
        head, *body = part
        write_table(head, body, right=range(1, len(head)))
    line(f"{_BEST} marks the best value of the row; prices include only the instances")


def _parts(rows: Sequence[Sequence[str]], count: int) -> Iterator[list[tuple[str, ...]]]:
    for first in range(1, len(rows[0]), count):
        yield [(row[0], *row[first : first + count]) for row in rows]


def _room(rows: Sequence[Sequence[str]]) -> bool:
    return column_widths(rows, console().width) is not None


def _unwrapped(rows: Sequence[Sequence[str]]) -> bool:
    widths = column_widths(rows, console().width)
    return widths is not None and all(
        len(cell) <= width for row in rows for cell, width in zip(row, widths, strict=True)
    )


def _label(figure: Figure) -> str:
    return f"{figure.label}, {figure.unit}" if figure.unit else figure.label


def _cells(figure: Figure) -> list[str]:
    return [
        f"{_text_of(value)} {_BEST}" if best else _text_of(value)
        for value, best in zip(figure.values, figure.best, strict=True)
    ]


def _text_of(value: Value) -> str:
    """Return a value with a suitable number of digits."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, int) or value == int(value):
        return f"{value:,.0f}"
    return f"{value:,.1f}" if abs(value) >= _WHOLE_FROM else f"{value:,.2f}"


def _breakable(cell: str) -> str:
    """Return a cell in which an instance type can wrap before its size, for a narrow table."""
    return cell.replace(".", " .") if "xlarge" in cell else cell


def _markdown(found: Comparison) -> str:
    rows = [
        (
            _label(figure),
            *(
                f"**{_text_of(value)}**" if best else _text_of(value)
                for value, best in zip(figure.values, figure.best, strict=True)
            ),
        )
        for figure in found.figures
    ]
    shown = table(("", *found.profiles), rows, range(1, len(found.profiles) + 1))
    return shown.replace("|  |", "| |", 1)
