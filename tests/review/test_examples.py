"""Every code of a review by a pair of templates that shows it, or not: `config/review/examples/*.yaml`."""

from __future__ import annotations

from functools import partial

from config.rules.example_rows import ReviewExample
from scripts.tools.docs.rules.examples import said_of
from tests.tables import each_row, rows_of

ROWS = partial(rows_of, ReviewExample)


@each_row("row", ROWS)
def test_a_review_says_what_a_change_does_where_and_in_which_figures(row: ReviewExample) -> None:
    found = said_of(row)
    if row.kind == "good":
        assert found == []
        return
    assert [said.path for said in found] == [row.at]
    said = f"{found[0].message}\n{found[0].hint}"
    assert [figure for figure in row.says if figure not in said] == []
