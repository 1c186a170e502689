"""How a review is written: for people at terminals of any width, for pull requests, for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # stubs are not locked

from config.diagnostics import Diagnostic, Severity
from scripts.cli.markdown import MAX_CHARACTERS, code, plain
from scripts.cli.review.differences.money import CostChange, Costs, CostSide, QuotaChange
from scripts.cli.review.forms.as_json import as_json, json_schema, problems_as_json
from scripts.cli.review.forms.markdown import as_markdown
from scripts.cli.review.forms.order import dangerous
from scripts.cli.review.forms.text import details, write_text
from scripts.cli.review.inputs.side import Side, StackTemplate
from scripts.cli.review.model import Action, Review
from scripts.cli.review.report import Report, review_sides
from scripts.cli.review.texts import values
from tests.review.support import Body, snapshot, template

NAME: Body = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": "a"}}


def report(old: Body, new: Body) -> Report:
    sides = [
        Side(name, (StackTemplate(template=template(body), name="s"),))
        for name, body in (("old", old), ("new", new))
    ]
    return review_sides(*sides)  # fmt: skip


def everything() -> Report:
    """A report with every action and every severity in it."""
    old = snapshot()["Resources"]
    new = json.loads(json.dumps(old))
    new["StorageMore"] = NAME
    for name, declared in old.items():
        properties = new[name]["Properties"]
        if declared["Type"] == "AWS::EC2::VPC":
            properties["CidrBlock"] = "10.1.0.0/16"
        if declared["Type"] == "AWS::SageMaker::Cluster":
            properties["ClusterName"] = "another"
        if declared["Type"] == "AWS::KMS::Key":
            properties["Enabled"] = False
        if declared["Type"] == "AWS::Grafana::Workspace":
            properties["GrafanaVersion"] = "8.4"
        if declared["Type"] == "AWS::APS::Workspace":
            new[name]["DeletionPolicy"] = "Delete"
        if declared["Type"] == "AWS::S3::Bucket":
            properties["Tags"] = []
    return report({**old, "Gone": NAME, "Kept": {**NAME, "DeletionPolicy": "Retain"}}, new)


def all_parts() -> Report:
    """A report of several profiles, with every part that a change of profiles can have."""
    found = Diagnostic(
        code="CAP011", severity=Severity.WARNING, path="compute.groups[0]", message="m | *m*", hint="h",
        source="https://docs.aws.amazon.com/", file="a.yaml", line=3,
    )  # fmt: skip
    side = CostSide(
        count=16, usd_per_hour=1500.25, usd_per_month=1095182.5, note="price of us-east-1", missing=None
    )
    unlisted = CostSide(
        count=1, usd_per_hour=None, usd_per_month=None, note="none", missing="no listed price"
    )
    changes = (
        CostChange(
            item="train: p6-b200.48xlarge",
            before=side,
            after=replace(side, count=32, usd_per_hour=3000.5, usd_per_month=2190365.0),
        ),
        CostChange(item="FSx for Lustre", before=None, after=unlisted),
    )
    costs = Costs(
        changes=changes,
        before_usd_per_hour=1500.25,
        after_usd_per_hour=3000.5,
        before_usd_per_month=1095182.5,
        after_usd_per_month=2190365.0,
        unpriced=("FSx for Lustre",),
    )
    quota = QuotaChange(
        service_code="ec2", name="Running On-Demand P instances", code="L-417A185B", unit="vCPUs",
        before=None, after=6144, default=0, per="account and Region", because="train", source="https://docs.aws.amazon.com/",
    )  # fmt: skip
    wide = {"Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
    ssh = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "CidrIp": "0.0.0.0/0"}
    group = {"GroupDescription": "g", "SecurityGroupIngress": [ssh]}
    role: Body = {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": {}, "Policies": []}}
    policy = {"PolicyName": "p", "PolicyDocument": wide}
    (review,) = report(
        {"R": role},
        {"R": {**role, "Properties": {**role["Properties"], "Policies": [policy]}},
         "G": {"Type": "AWS::EC2::SecurityGroup", "Properties": group}},
    ).stacks  # fmt: skip
    more = replace(review, profile="clusters/a.yaml", costs=costs, quotas=(quota,), gone=(found,))
    refused = Review(
        region="us-west-2", profile="clusters/b.yaml", stack="b", status="refused",
        diagnostics=(replace(found, severity=Severity.ERROR),),
    )  # fmt: skip
    added = replace(more, status="added", stack="c", profile="clusters/c.yaml")
    return Report(
        old="main (0123456789)", new="HEAD",
        stacks=(more, refused, added, replace(added, status="mended"), replace(refused, status="removed")),
    )  # fmt: skip


REPORTS: dict[str, Callable[[], Report]] = {
    "all_parts": all_parts,
    "everything": everything,
    "nothing": lambda: report({"A": NAME}, {"A": NAME}),
    "long_words": lambda: report(
        {"A": NAME}, {"A": {**NAME, "Properties": {"Type": "String", "Value": "x" * 500}}, "B" * 255: NAME}
    ),
}


@cache
def made(name: str) -> Report:
    return REPORTS[name]()


def test_the_example_has_every_kind_of_change_and_finding() -> None:
    (review,) = made("everything").stacks
    assert set(review.counts) == {
        "refused", "replace", "delete", "interruption", "retain", "in-place", "add", "untouched"
    }  # fmt: skip
    assert {d.severity for d in review.diagnostics} == set(Severity) - {Severity.NOTE}


def test_long_values_are_shown_from_where_they_differ() -> None:
    start = "arn:aws:logs:us-west-2:123456789012:log-group:/aws/a/long/name/"
    assert values(f"{start}old", f"{start}new") == "...a/long/name/old to ...a/long/name/new"
    assert values("16", "32") == "16 to 32"
    assert values(None, "x" * 90) == f"(not set) to {'x' * 57}..."


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


@pytest.mark.sample(4)
@pytest.mark.parametrize("columns", [40, 60, 80, 120])
@pytest.mark.parametrize("name", REPORTS)
def test_text_fits_the_terminal_and_loses_no_word(
    name: str, columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    write_text(made(name))
    text = capsys.readouterr().out
    for line in text.splitlines():
        assert len(line) <= columns or line.lstrip().startswith("source:"), line
    found = squeezed(text)
    for review in made(name).stacks:
        for change in review.changes:
            for word in (change.logical_id, change.type, change.layer, change.action.value, *details(change)):
                assert squeezed(word) in found
        for diagnostic in review.diagnostics:
            assert squeezed(diagnostic.message) in found
            assert squeezed(diagnostic.hint) in found


def test_the_first_lines_say_how_bad_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    write_text(made("everything"))
    first, _, second, third, *_ = capsys.readouterr().out.splitlines()
    assert first == "old -> new"
    assert re.match(
        r"s \(us-east-1\): [0-9]+ rejected, [0-9]+ replaced, 1 deleted, .*; [0-9]+ errors, ", second
    )
    assert third.startswith(("refused", "replace"))
    write_text(made("nothing"))
    assert capsys.readouterr().out.splitlines()[-1] == "s (us-east-1): no changes"


def rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]


@pytest.mark.parametrize("name", REPORTS)
def test_the_tables_of_markdown_have_as_many_cells_in_each_row(name: str) -> None:
    text = as_markdown(made(name))
    assert text.startswith(f"<!-- ultracluster review -->\n\n### Review: `{made(name).old}` to `")
    assert text.count("<details>") == text.count("</details>")
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({len(row) for row in rows(table)}) == 1
    reported = sum(len(review.changes) for review in made(name).stacks if review.status != "added")
    assert len(re.findall(rf"^\| (?:{'|'.join(Action)}) \|", text, re.MULTILINE)) == reported
    assert text.count("  hint: ") == sum(len(review.diagnostics) for review in made(name).stacks)


def test_price_quotas_permissions_and_network_are_reported_in_each_form(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = made("all_parts")
    write_text(found)
    text, page = capsys.readouterr().out, as_markdown(found)
    for word in (
        "16 to 32", "+1,095,182", "no listed price", "6,144 vCPUs: request an increase", "L-417A185B",
        "inbound rule that allows tcp port 22 from 0.0.0.0/0 (public)", "every action, every resource",
        "CAP011",
        "5 stacks: 1 new, 1 repaired, 1 invalid, 1 removed, 1 changed",
        "clusters/b.yaml: the profile has errors and cannot be deployed",
    ):  # fmt: skip
        assert word in text
        assert word in page
    assert "+1,500.25" in text
    assert "1,095,182 | 2,190,365 | +1,095,182" in page
    # internet exposure and wide permissions come before the rest of the permissions
    assert page.index("Exposed to the internet") < page.index("**Price**") < page.index("Wide permissions")


def test_a_comment_lists_every_stack_and_tells_those_with_errors_first() -> None:
    (changed, refused, *_) = made("all_parts").stacks
    same = replace(refused, status="unchanged", stack="same", diagnostics=())
    page = as_markdown(Report(old="a", new="b", stacks=(changed, same, refused)))
    listed = [line for line in page.splitlines() if line.startswith("- **") and "(us-" in line]
    assert [re.split(r"\*\*| ", line)[2] for line in listed] == ["b", "s", "same"]
    reported = [line for line in page.splitlines() if line.startswith("**") and "(us-" in line]
    assert [re.split(r"\*\*| ", line)[1] for line in reported] == ["b", "s"]


def test_a_report_of_nothing_says_so_in_each_form(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = Report(old="a", new="b", stacks=())
    write_text(nothing)
    assert capsys.readouterr().out.splitlines() == ["a -> b", "no profile differs"]
    assert as_markdown(nothing).splitlines()[-3:] == ["no profile differs", "", "<!-- nothing to review -->"]
    assert (as_json(nothing)["stacks"], nothing.exit_status) == ([], 0)


def test_what_only_follows_is_distinguished_from_what_starts_it() -> None:
    (review,) = made("everything").stacks
    worst, following = dangerous(review)
    assert {change.type for change in worst} >= {"AWS::EC2::VPC", "AWS::FSx::FileSystem"}
    assert {change.type for change in following} >= {"AWS::EC2::RouteTable", "AWS::EC2::Subnet"} - {
        change.type for change in worst
    }
    assert all(edit.because for change in following for edit in change.deciding)
    assert "<summary>replaced as a consequence: " in as_markdown(made("everything"))


NASTY = [
    "a|b",
    "`a`",
    "``",
    "@everyone",
    "<script>alert(1)</script>",
    "a\nb",
    "*a*_b_",
    "[x](y)",
    "| --- |",
    "é\u202e",
]


@pytest.mark.parametrize("value", NASTY, ids=range(len(NASTY)))
def test_values_of_a_template_cannot_break_out_of_markdown(value: str) -> None:
    text = as_markdown(report({"A": NAME}, {"A": {**NAME, "Properties": {"Type": "String", "Value": value}}}))
    assert [len(row) for row in rows(text)] == [4, 4, 4]
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    assert "@" not in outside
    assert "<script>" not in outside


def test_code_and_sentences_mean_themselves_in_markdown() -> None:
    assert code("a`b``c") == "```a`b``c```"
    assert code("`a`") == "`` `a` ``"
    assert plain("put `a_b` back: <x> & *y* @team") == "put `a_b` back: &lt;x&gt; &amp; \\*y\\* `@team`"
    assert plain("one ` only") == "one ' only"
    # to GitHub a run of two does not close one of one: the tag would be live
    assert plain("` <!-- `` y ``` z @team").startswith("' &lt;!-- '' y ''' z `@team`")


def test_a_long_review_fits_a_comment_and_counts_what_it_leaves_out() -> None:
    many = {f"StorageParameter{i:04}": NAME for i in range(900)}
    other = {"Type": "String", "Value": "x" * 200}
    text = as_markdown(report(many, {name: {**NAME, "Properties": other} for name in many}))
    assert len(text) <= MAX_CHARACTERS
    assert re.search(r"^and [0-9]+ less dangerous changes$", text, re.MULTILINE)


@pytest.mark.long
def test_a_review_that_is_long_in_every_part_still_fits_and_stays_whole() -> None:
    (review, *_) = made("all_parts").stacks
    long = replace(
        review,
        diagnostics=tuple(replace(review.gone[0], message=f"{n} " + "m" * 900) for n in range(300)),
        iam=tuple(replace(review.iam[0], holder=f"Role{n}" + "R" * 200) for n in range(400)),
        network=tuple(replace(review.network[0], resource=f"Group{n}" + "G" * 200) for n in range(400)),
        quotas=review.quotas * 200,
        gone=review.gone * 300,
    )
    text = as_markdown(Report(old="a", new="b", stacks=(long,) * 9))
    assert len(text) <= MAX_CHARACTERS
    assert text.count("<details>") == text.count("</details>")
    assert "- and 280 more" in text
    assert re.search(
        r"^\([0-9]+ more parts are omitted: run `ultracluster review` in a terminal\)$", text, re.MULTILINE
    )


VALIDATOR = Draft202012Validator(json_schema())


@pytest.mark.parametrize("name", REPORTS)
def test_json_keeps_to_its_schema(name: str) -> None:
    data = json.loads(json.dumps(as_json(made(name))))
    assert [error.message for error in VALIDATOR.iter_errors(data)] == []


def test_the_problems_of_inputs_keep_to_the_schema() -> None:
    data = problems_as_json([("OLD", "a", "no such file", None), ("NEW", "b", "no template", "give one")])
    assert [error.message for error in VALIDATOR.iter_errors(data)] == []
    assert data["exit_status"] == 2


def test_the_schema_refuses_what_a_review_never_prints() -> None:
    data: dict[str, Any] = as_json(made("everything"))
    data["stacks"][0]["changes"][0]["action"] = "explode"
    assert list(VALIDATOR.iter_errors(data))
    assert list(VALIDATOR.iter_errors({"version": 1}))
    Draft202012Validator.check_schema(json_schema())


def test_a_change_in_json_has_all_that_is_known_of_it() -> None:
    (stack,) = as_json(made("everything"))["stacks"]
    (vpc,) = (change for change in stack["changes"] if change["type"] == "AWS::EC2::VPC")
    assert vpc["action"] == "replace"
    assert vpc["policy"] == "retain"
    assert vpc["layer"] == "network"
    (block,) = vpc["properties"]
    assert (block["path"], block["before"], block["after"], block["effect"]) == (
        "CidrBlock", "10.0.0.0/16", "10.1.0.0/16", "replace"
    )  # fmt: skip
    assert stack["counts"]["delete"] == 1


def test_the_schema_of_the_documentation_is_this_one() -> None:
    text = (Path(__file__).parents[2] / "docs" / "reference" / "review.schema.json").read_text(
        encoding="utf-8"
    )
    written = json.loads(text)
    assert written.pop("$comment").startswith("Generated by `make docs`")
    assert written == json_schema()
