"""What a test over a table reports, and which rows of a table `make test` runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import sampled
from tests.tables import each_row


@each_row("number, word", [(1, "one"), (2, "two"), (3, "three")])
def even(number: int, word: str, tmp_path: Path) -> None:
    (tmp_path / "of-this-row").touch(exist_ok=False)
    assert number % 2 == 0, word


def test_every_row_that_fails_is_listed_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(ExceptionGroup) as failed:
        even(tmp_path=tmp_path)
    assert failed.value.message.splitlines() == ["rows that fail:", "1-one (0)", "3-three (2)"]
    assert [str(error).splitlines()[0] for error in failed.value.exceptions] == ["one", "three"]


@pytest.mark.parametrize(
    ("rows", "of", "numbers"), [(1, 5, {0}), (2, 5, {0, 3}), (3, 9, {0, 3, 6}), (5, 3, {0, 1, 2})]
)
def test_a_sample_is_spread_over_its_table(rows: int, of: int, numbers: set[int]) -> None:
    assert sampled(rows, of) == numbers
