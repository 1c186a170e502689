"""The codes and tests that prevent each publicly reported failure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from config.profile.source.reference import BUILT_IN_FOLDER
from config.rules.codes import CODES
from config.rules.reports import reports_in

ROOT = BUILT_IN_FOLDER.parents[1]
_TEST = re.compile(r"^\s*def (test_\w+)", re.MULTILINE)
_ID = re.compile(r"(?<![a-z0-9])(ec2|storage|hyperpod|slurm|eks|obs)((?:_[0-9]{2})+)(?![0-9a-z])")
_CODE = re.compile(r"^([A-Z]{3}[0-9]{3}):")
_ROW = re.compile(r"\brow: (\w+)")


def ids_in(name: str) -> set[str]:
    """Return the report ids in the name of a test or example: `storage_12_14` contains two ids."""
    return {
        f"{word.upper()}-{number}"
        for word, numbers in _ID.findall(name)
        for number in numbers.strip("_").split("_")
    }


def tests_by_report() -> dict[str, list[str]]:
    """Return the tests of each report as `file::name`; an example of a rule counts as a test."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        for name in _TEST.findall(file.read_text(encoding="utf-8")):
            for report in ids_in(name):
                found[report].append(f"{file.relative_to(ROOT).as_posix()}::{name}")
    for code, row in _rows():
        for report in ids_in(row):
            found[report].append(f"{code}-{row}")
    return dict(found)


def codes_by_report() -> dict[str, list[str]]:
    """Return the codes of each report: those whose reason or example name contains the report's id."""
    found: dict[str, set[str]] = defaultdict(set)
    for code in CODES.values():
        for report in reports_in(code.why):
            found[report].add(code.code)
    for code_name, row in _rows():
        for report in ids_in(row):
            found[report].add(code_name)
    return {report: sorted(codes) for report, codes in found.items()}


def _rows() -> Iterator[tuple[str, str]]:
    """Yield the code and the name of each example."""
    folder = ROOT / "config" / "rules"
    files = [file for file in folder.rglob("examples/*.yaml") if file.parts[-3] != "preflight"]
    for file in sorted(files, key=lambda file: (file.parts[-3] != "deployed", file.name)):
        code = ""
        for line in file.read_text(encoding="utf-8").splitlines():
            if match := _CODE.match(line):
                code = match[1]
            for row in _ROW.findall(line):
                yield code, row
