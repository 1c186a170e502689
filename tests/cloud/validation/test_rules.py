"""What a service refuses, by a table of bad and good rows: `config/rules/deployed/examples/*.yaml`."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from config.rules.codes import CODES
from config.rules.deployed import CODES as DEPLOYED
from config.rules.example_rows import TemplateExample
from config.rules.reports import reports_in
from scripts.cloud.template.functions import KNOWN_AFTER_APPLY
from scripts.cloud.validation import Problem, problems, reason
from scripts.cloud.validation.rules import RULES
from scripts.tools.docs.rules.examples import judge_example
from tests.tables import each_row, rows_of

_REGION = "us-west-2"
ROWS = partial(rows_of, TemplateExample)


def _bad() -> list[TemplateExample]:
    return [row for row in ROWS() if row.kind == "bad"]


def _reported(row: TemplateExample, properties: Any = None) -> list[Problem]:
    return [problem for problem in judge_example(row, properties) if problem.code == row.code]


@each_row("row", ROWS)
def test_a_rule_says_what_is_refused_where_and_in_which_figures(row: TemplateExample) -> None:
    reported = _reported(row)
    if row.kind == "good":
        assert reported == []
        return
    (problem,) = [problem for problem in reported if problem.path == row.at][:1]
    said = f"{problem.message}\n{problem.hint}"
    assert [figure for figure in row.says if figure not in said] == []
    assert problem.hint
    assert problem.source == CODES[row.code].source
    assert f"{row.code} #/{row.at}: " in reason(row.type, [problem])


@each_row("row", _bad)
def test_a_value_that_is_not_known_yet_is_never_refused(row: TemplateExample) -> None:
    unknown = dict.fromkeys(row.properties, KNOWN_AFTER_APPLY)
    left = [problem for problem in _reported(row, unknown) if problem.path == row.at]
    # what is refused then is what is absent, or what another resource has
    assert [problem for problem in left if problem.path in row.properties and not row.beside] == []


@pytest.mark.parametrize("kind", ["bad", "good"])
def test_every_rule_has_a_row_of_each_kind_and_every_row_a_rule(kind: str) -> None:
    assert {rule.code.code for rule in RULES} == {row.code for row in ROWS() if row.kind == kind}


def test_every_type_of_a_rule_has_a_row() -> None:
    shown = {(row.code, row.type) for row in ROWS()}
    left_out = {(rule.code.code, kind) for rule in RULES for kind in rule.types} - shown
    assert left_out == {
        # of one kind with a row that is there
        ("IAM001", "AWS::EKS::Cluster"),
        ("IAM001", "AWS::EKS::FargateProfile"),
        ("IAM001", "AWS::EKS::PodIdentityAssociation"),
        ("NET007", "AWS::EC2::VPCCidrBlock"),
        ("PCS011", "AWS::PCS::ComputeNodeGroup"),
    }


def test_every_code_of_what_is_deployed_has_a_rule() -> None:
    assert {code.code for code in DEPLOYED} <= {rule.code.code for rule in RULES}


@each_row("code", sorted(CODES))
def test_every_report_that_a_code_names_has_its_address(code: str) -> None:
    for address in reports_in(CODES[code].why).values():
        assert address.startswith(
            ("https://github.com/", "https://docs.aws.amazon.com/", "https://awslabs.github.io/")
        )
    assert CODES[code].why.endswith(".")
    assert CODES[code].source.startswith(("https://", "docs/"))
    assert not CODES[code].holds.endswith(".")


def test_every_problem_is_reported_at_once_in_one_line() -> None:
    bad = {
        "Name": "x",
        "Size": "HUGE",
        "Scheduler": {"Type": "SLURM", "Version": "1"},
        "Networking": {"SubnetIds": ["subnet-12345678", "subnet-12345679"]},
    }
    found = problems(_REGION, "AWS::PCS::Cluster", bad, {})
    assert {problem.path for problem in found} == {
        "Name",
        "Size",
        "Scheduler/Version",
        "Networking/SubnetIds",
    }
    reported = reason("AWS::PCS::Cluster", found)
    assert "\n" not in reported
    assert all(str(problem) in reported for problem in found)


@pytest.mark.parametrize(
    "properties",
    [
        {"FileSystemType": "LUSTRE", "SubnetIds": ["subnet-12345678"], "Nonsense": 1},
        {"FileSystemType": "LUSTRE", "SubnetIds": ["s"], "LustreConfiguration": {"Nonsense": 1}},
    ],
)
def test_a_name_that_the_schema_does_not_have_is_refused_even_where_it_does_not_say_so(
    properties: dict[str, Any],
) -> None:
    from scripts.cloud.template.errors import ResourceFailedError
    from scripts.cloud.template.schema import validated

    with pytest.raises(ResourceFailedError, match=r"extraneous key \[Nonsense\]"):
        validated("us-west-2", "AWS::FSx::FileSystem", properties)
