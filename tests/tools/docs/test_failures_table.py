"""The table of public failures agrees with the codes and the tests, and loses no report."""

from __future__ import annotations

import re

import pytest

from config.rules.codes import CODES
from config.rules.reports import AREAS, FAILURES
from scripts.tools.docs.pages import PAGES
from scripts.tools.docs.rules import failures
from tests.tables import each_row

#: The numbers of the reports in the collection that the table was made from; numbers are never used again.
NUMBERS = {
    "EC2": "3-6 8-10 12-13 15",
    "EKS": "1-3 5 7-13 15-21 25-31 40-42 46 48 50",
    "HYPERPOD": "1-7 11-16 18-22 24-25 27-35 37-40",
    "OBS": "1-6 9-13 15-17 19-20 22-23",
    "SLURM": "1-4 6-9 11-14 16 18 22 40-41",
    "STORAGE": "3-5 7-18 20 22 24 43",
}
IN_SCOPE = sorted(
    name for name, report in FAILURES.items() if report.area in ("machines", "storage", "slurm")
)


def test_a_failure_of_machines_storage_and_slurm_has_a_test_of_its_name() -> None:
    tests = failures.tests_by_report()
    names = {name: re.compile(rf"::test_(\w+_)?{name.lower().replace('-', '_')}(_|$)") for name in IN_SCOPE}
    assert [n for n, own in names.items() if not any(own.search(test) for test in tests.get(n, []))] == []


def test_every_failure_that_a_code_or_a_test_names_is_in_the_table() -> None:
    named = {*failures.codes_by_report(), *failures.tests_by_report()}
    assert named - set(FAILURES) == set()


def test_codes_of_the_table_exist() -> None:
    assert {code for codes in failures.codes_by_report().values() for code in codes} <= set(CODES)


@each_row("name, report", FAILURES.items())
def test_a_failure_says_what_happened_where_it_was_reported_and_whose_it_is(
    name: str, report: object
) -> None:
    found = FAILURES[name]
    assert report is found
    assert found.area in AREAS
    assert found.source.startswith("https://")
    assert found.what
    assert not found.what.endswith(".")


def test_the_page_has_every_failure_once() -> None:
    page = PAGES["docs/reference/public-failures.md"]()
    assert sorted(re.findall(r"^\| \[([A-Z0-9]+-[0-9]{2})\]", page, re.MULTILINE)) == sorted(FAILURES)


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("test_ec2_03_eks_01_device_index", {"EC2-03", "EKS-01"}),
        ("test_storage_12_14_version", {"STORAGE-12", "STORAGE-14"}),
        ("eks_21_family_alone", {"EKS-21"}),
        ("test_a_plan_of_eks_1_node", set()),
        ("test_cloud_eks_100_nodes", set()),
    ],
)
def test_a_name_carries_the_reports_that_it_says(name: str, ids: set[str]) -> None:
    assert failures.ids_in(name) == ids


def test_no_report_left_the_table_or_changed_its_number() -> None:
    ids = set()
    for prefix, numbers in NUMBERS.items():
        for first, _, last in (part.partition("-") for part in numbers.split()):
            ids |= {f"{prefix}-{number:02}" for number in range(int(first), int(last or first) + 1)}
    assert ids == set(FAILURES)
