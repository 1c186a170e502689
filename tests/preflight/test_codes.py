"""Every code of preflight by answers that break or keep it (config/rules/preflight/examples/*.yaml)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from config.rules.example_rows import PreflightExample
from config.rules.preflight import CODES
from scripts.cli.preflight.checks import UNLIKE
from scripts.tools.docs.rules.examples import preflight_example
from tests.tables import each_row, rows_of

ROWS = partial(rows_of, PreflightExample)


class Read(dict[str, Any]):
    """Answers that remember which were read."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        super().__init__(answers)
        self.names: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.names.add(name)
        return super().get(name, default)


@each_row("row", ROWS)
def test_an_answer_is_held_against_the_profile(row: PreflightExample) -> None:
    answers = Read(row.answers)
    report = preflight_example(replace(row, answers=answers))
    # a good row that names a file wrongly would hold whatever it says
    assert set(row.answers) - answers.names == set()
    assert [one for one in report.results if one.said.startswith(UNLIKE)] == []
    found = [one for one in report.diagnostics if one.code == row.code]
    if row.kind == "good":
        assert found == []
        return
    assert [one.path for one in found] == [row.at]
    said = f"{found[0].message}\n{found[0].hint}"
    assert [figure for figure in row.says if figure not in said] == []
    assert all(one.file for one in found)


def test_every_code_is_of_preflight_and_none_twice() -> None:
    numbers = [code.code for code in CODES]
    assert len(set(numbers)) == len(numbers)
    assert all(number.startswith("PRE") for number in numbers)
