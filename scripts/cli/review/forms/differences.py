"""Write differences of price, quotas, permissions and network as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from scripts.cli.output import console, heading, line, write_table
from scripts.cli.review.differences.tables import (
    COST_HEADINGS,
    QUOTA_HEADINGS,
    cost_notes,
    cost_rows,
    quota_rows,
)

if TYPE_CHECKING:
    from scripts.cli.review.model import Review


def write_differences(review: Review) -> None:
    """Write the differences, new internet exposure first; for a new stack, only wide permissions."""
    exposed = [change.sentence for change in review.network if change.is_exposed]
    _write("exposed to the internet", exposed)
    if review.costs:
        heading("price")
        write_table(COST_HEADINGS, cost_rows(review.costs), right=range(1, len(COST_HEADINGS)))
        for note in cost_notes(review.costs):
            line(note, indent=2)
    if review.quotas:
        heading("quotas")
        write_table(QUOTA_HEADINGS, quota_rows(review.quotas))
    _write("wide permissions", [change.sentence for change in review.iam if change.is_wide])
    if review.status == "added":
        return
    _write("permissions", [change.sentence for change in review.iam if not change.is_wide])
    _write("network", [change.sentence for change in review.network if not change.is_exposed])


def _write(title: str, sentences: list[str]) -> None:
    if sentences:
        heading(title)
    for sentence in sentences:
        bullet(sentence)


def bullet(text: str) -> None:
    """Write one item of a list, with a hanging indent."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(" -", Text(text))
    console().print(grid)
