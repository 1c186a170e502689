"""A table whose rows assert one fact is one test, and that test lists every row that fails."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from config.rules.example_rows import (
    PreflightExample,
    ProfileExample,
    ReviewExample,
    TemplateExample,
    examples,
)

Test = Callable[..., None]
Row = TypeVar("Row", ProfileExample, PreflightExample, ReviewExample, TemplateExample)


@functools.cache
def rows_of(kind: type[Row]) -> tuple[Row, ...]:
    """The examples of one kind of rules; to read all of them takes a second."""
    return tuple(row for rows in examples().values() for row in rows if isinstance(row, kind))


def each_row(
    names: str, rows: Iterable[Any] | Callable[[], Iterable[Any]], name_of: Callable[..., str] | None = None
) -> Callable[[Test], Test]:
    """Run a test for every row; `names` are its arguments, and several of them take a row apart.

    A function gives rows that are read when the test runs, not at collection. A row has its own `tmp_path`.
    """
    keys = names.replace(" ", "").split(",")

    def over(test: Test) -> Test:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def every_row(**fixtures: Any) -> None:
            failed: dict[str, BaseException] = {}
            folder: Path | None = fixtures.get("tmp_path")
            table = tuple(rows() if callable(rows) else rows)
            assert table, "the table has no rows"
            for number, row in enumerate(table):
                if folder is not None:
                    fixtures["tmp_path"] = folder / str(number)
                    fixtures["tmp_path"].mkdir()
                values = (row,) if len(keys) == 1 else tuple(row)
                name = name_of(*values) if name_of else "-".join(map(_name, values))
                try:
                    test(**dict(zip(keys, values, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"in row {name}")
                    failed[f"{name} ({number})"] = error
            if failed:
                raise BaseExceptionGroup("\n".join(("rows that fail:", *failed)), [*failed.values()])

        parameters = [one for key, one in signature.parameters.items() if key not in keys]
        every_row.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # read by pytest
        return every_row

    return over


def _name(value: Any) -> str:
    return str(getattr(value, "name", value))[:80]
