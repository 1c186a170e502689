"""The table of public failures agrees with the codes, the tests, and the reports that were handed over."""

from __future__ import annotations

import os
import re

import pytest

from config.rules import CODES
from config.rules.reports import AREAS, FAILURES
from scripts.tools.docs.pages import PAGES
from scripts.tools.docs.rules import failures
from tests.conftest import ROOT

HANDED = ROOT.parent / "shared" / "cases" / "public-failures.md"
IN_SCOPE = sorted(
    name for name, report in FAILURES.items() if report.area in ("machines", "storage", "slurm")
)


@pytest.mark.parametrize("name", IN_SCOPE)
def test_a_failure_of_machines_storage_and_slurm_has_a_test_of_its_name(name: str) -> None:
    word = name.lower().replace("-", "_")
    own = [
        test
        for test in failures.tests_by_report().get(name, [])
        if test.rpartition("::")[2].startswith("test_")
    ]
    assert [test for test in own if re.search(rf"::test_(\w+_)?{word}(_|$)", test)]


def test_every_failure_that_a_code_or_a_test_names_is_in_the_table() -> None:
    named = {*failures.codes_by_report(), *failures.tests_by_report()}
    assert named - set(FAILURES) == set()


def test_codes_of_the_table_exist() -> None:
    assert {code for codes in failures.codes_by_report().values() for code in codes} <= set(CODES)


@pytest.mark.parametrize(("name", "report"), FAILURES.items())
def test_a_failure_says_what_happened_where_it_was_told_and_whose_it_is(name: str, report: object) -> None:
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


def test_the_table_has_the_reports_that_were_handed_over() -> None:
    if not HANDED.exists():
        if os.environ.get("CI"):
            pytest.fail("the handed reports are not beside the checkout")
        pytest.skip("the handed reports are not beside the checkout")
    handed = re.findall(r"^- \*\*([A-Z0-9]+-[0-9]{2})\*\*", HANDED.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(handed) == sorted(FAILURES)
