"""Hints of storage rules that name keys and values: writing them once leaves no new error."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.cluster import load_cluster
from config.diagnostics import Diagnostic, Severity
from config.rules.example_rows import FILE, ProfileExample
from scripts.tools.docs.rules.examples import load_example
from tests.tables import each_row, rows_of

RULES_OF_STORAGE = ("LUS", "DRA", "HOM", "EXB", "MNT", "NVM")
KEY = re.compile(r"`([a-z0-9_]+: [^`]+)`")
WRONG_PLACE = ("PRO010", "PRO011", "PRO015")
"""Codes of a key that is not known there, or of another shape."""


def alternatives(hint: str) -> list[dict[str, Any]]:
    """What a hint says to write, one dictionary for each way out: `a: 1` and `b: 2`, or `c: 3`."""
    reported = hint.partition(";")[0]
    if not reported.startswith("set `") or "..." in reported:
        return []
    ways = [KEY.findall(way) for way in re.split(r", or |(?<=`) or ", reported)]
    return [
        {key: value for item in way for key, value in yaml.safe_load(item).items()} for way in ways if way
    ]


def written(profile: dict[str, Any], at: str, keys: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The profile with the keys at a finding's place, and at each place above it."""
    steps = re.findall(r"[^.\[\]]+", at)
    for length in range(len(steps), -1, -1):
        changed = copy.deepcopy(profile)
        node: Any = changed
        for step in steps[:length]:
            node = node[int(step)] if isinstance(node, list) else node.setdefault(step, {})
            if not isinstance(node, dict | list):
                break
        if isinstance(node, dict):
            node.update(keys)
            yield changed


def errors(row: ProfileExample, folder: Path) -> list[Diagnostic]:
    """The errors of a row's profile as it is in the folder."""
    found = load_cluster(FILE, orchestrator=row.orchestrator, base=folder).diagnostics
    return [each for each in found if each.severity is Severity.ERROR]


def after(
    row: ProfileExample, folder: Path, profile: dict[str, Any], at: str, keys: dict[str, Any]
) -> list[Diagnostic]:
    """The errors once the keys are written where a profile has such keys."""
    for changed in written(profile, at, keys):
        (folder / FILE).write_text(yaml.safe_dump(changed), encoding="utf-8")
        found = errors(row, folder)
        if not any(each.code in WRONG_PLACE for each in found):
            return found
    raise AssertionError(f"no place takes {keys}")


def _rows() -> list[ProfileExample]:
    bad = [row for row in rows_of(ProfileExample) if (row.kind, row.argument) == ("bad", FILE)]
    return [row for row in bad if row.code.startswith(RULES_OF_STORAGE)]


@each_row("row", _rows)
def test_who_writes_what_a_hint_says_has_no_new_error(row: ProfileExample, tmp_path: Path) -> None:
    found = load_example(row, tmp_path).diagnostics
    profile = yaml.safe_load((tmp_path / FILE).read_text(encoding="utf-8"))
    before = {(each.code, each.path) for each in found} - {(row.code, row.at)}
    for finding in (each for each in found if each.code == row.code):
        for keys in alternatives(finding.hint):
            left = after(row, tmp_path, profile, finding.path, keys)
            new = [each for each in left if (each.code, each.path) not in before]
            assert not new, (keys, new)


@pytest.mark.parametrize("code", ["LUS010", "LUS017", "LUS020", "LUS021", "DRA009", "MNT002", "EXB002"])
def test_hints_of_what_goes_together_name_keys(code: str, tmp_path: Path) -> None:
    hints = []
    for row in (row for row in _rows() if row.code == code):
        hints += [each.hint for each in load_example(row, tmp_path).diagnostics if each.code == code]
    assert any(alternatives(hint) for hint in hints)
