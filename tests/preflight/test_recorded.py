"""Answers in files: without account numbers, and read back as they were told."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.profile.source.merge import Layered
from scripts.cli.preflight.all_checks import hold_against
from scripts.cli.preflight.asking import MissingError, UnansweredError
from scripts.cli.preflight.recorded import (
    OTHERS,
    OWN,
    Recorded,
    Recorder,
    UnreadableError,
    file_stem,
    read_folder,
    same,
    without_accounts,
)
from tests.preflight.fake_cloud import ACCOUNT, NOW, REGION, RICH, FakeCloud, design_of, refusal
from tests.preflight.test_policy import full

ACCOUNTS = st.from_regex(r"[0-9]{12}", fullmatch=True)


@pytest.mark.parametrize("name", sorted(RICH))
def test_what_is_recorded_says_the_same_as_the_account(name: str, tmp_path: Path) -> None:
    design = design_of(name, tmp_path)
    cloud = full()
    recorder = Recorder(cloud.account(), own=ACCOUNT, region=REGION)
    reported = hold_against(design, Layered(), recorder, account=ACCOUNT, now=NOW)
    folder = tmp_path / "answers"
    assert recorder.write(str(folder), NOW) == len(list(folder.iterdir()))
    again = hold_against(design, Layered(), read_folder(str(folder), REGION), account=None, now=NOW)
    for was, now in zip(reported.results, again.results, strict=True):
        if was.service != "STS":
            assert (now.subject, now.state) == (was.subject, was.state), now.said
    text = "".join(file.name + file.read_text() for file in folder.iterdir())
    assert ACCOUNT not in text
    assert set(re.findall(r"\b[0-9]{12}\b", text)) <= {OWN, OTHERS}


def test_a_record_is_the_same_whichever_call_is_answered_first(tmp_path: Path) -> None:
    one, other = ({"Subnets": [{"SubnetId": f"subnet-{n}"}]} for n in (1, 2))
    folders = []
    for number, order in enumerate(((one, other), (other, one))):
        answers = iter(order)
        cloud = FakeCloud({"ec2:DescribeSubnets": lambda _, answers=answers: next(answers)})  # type: ignore[misc]
        recorder = Recorder(cloud.account(), own=ACCOUNT, region=REGION)
        for value in "ab":
            recorder.ask("ec2", "DescribeSubnets", None, {"Filters": [{"Name": "vpc-id", "Values": [value]}]})
        recorder.write(str(tmp_path / str(number)), NOW)
        folders.append({file.name: file.read_bytes() for file in (tmp_path / str(number)).iterdir()})
    assert folders[0] == folders[1]
    assert len(json.loads(folders[0]["ec2.describe-subnets.json"])["Subnets"]) == 2


def test_what_was_denied_is_not_recorded_and_what_is_missing_is(tmp_path: Path) -> None:
    cloud = FakeCloud(
        {
            "iam:GetRole": lambda _: refusal("AccessDenied", f"arn:aws:iam::{ACCOUNT}:user/ada may not"),
            "iam:GetPolicy": lambda _: refusal("NoSuchEntity", f"no arn:aws:iam::{ACCOUNT}:policy/a"),
        }
    )
    recorder = Recorder(cloud.account(), own=ACCOUNT, region=REGION)
    with pytest.raises(UnansweredError, match="needs iam:GetRole"):
        recorder.ask("iam", "GetRole", None, {"RoleName": "a"})
    with pytest.raises(MissingError):
        recorder.ask("iam", "GetPolicy", None, {"PolicyArn": f"arn:aws:iam::{ACCOUNT}:policy/a"})
    recorder.write(str(tmp_path / "answers"), NOW)
    assert sorted(file.stem for file in (tmp_path / "answers").iterdir()) == [
        "iam.get-policy.arn-aws-iam-ACCOUNT-policy-a",
        "preflight",
    ]
    recorded = read_folder(str(tmp_path / "answers"), REGION)
    with pytest.raises(MissingError, match="NoSuchEntity"):
        recorded.ask("iam", "GetPolicy", None, {"PolicyArn": f"arn:aws:iam::{OTHERS}:policy/a"})
    with pytest.raises(UnansweredError, match=r"has no iam\.get-role\.a\.json"):
        recorded.ask("iam", "GetRole", None, {"RoleName": "a"})


def test_a_record_of_other_things_answers_nothing_about_those_that_were_not_asked_for(tmp_path: Path) -> None:
    cloud = FakeCloud({"ec2:DescribeInstanceTypeOfferings": lambda _: {"InstanceTypeOfferings": []}})
    recorder = Recorder(cloud.account(), own=ACCOUNT, region=REGION)

    def about(name: str) -> dict[str, object]:
        return {"Filters": [{"Name": "instance-type", "Values": [name]}]}

    recorder.ask("ec2", "DescribeInstanceTypeOfferings", None, about("p5en.48xlarge"))
    recorder.write(str(tmp_path / "answers"), NOW)
    ask = read_folder(str(tmp_path / "answers"), REGION).ask
    asked = ("ec2", "DescribeInstanceTypeOfferings", None)
    assert ask(*asked, about("p5en.48xlarge")) == {"InstanceTypeOfferings": []}
    with pytest.raises(UnansweredError, match=r"was recorded without p6-b200\.48xlarge: record it again"):
        ask(*asked, about("p6-b200.48xlarge"))


def test_a_file_named_after_its_command_answers_with_its_content() -> None:
    plan = {"TrainingPlanName": "pretrain", "TrainingPlanArn": "x", "Status": "Active"}
    recorded = Recorded(answers={"sagemaker.describe-training-plan": plan}, place="here")
    ask = recorded.ask
    assert ask("sagemaker", "DescribeTrainingPlan", None, {"TrainingPlanName": "pretrain"}) == plan
    with pytest.raises(UnansweredError):
        ask("sagemaker", "DescribeTrainingPlan", None, {"TrainingPlanName": "another"})


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "has no answers"),
        (
            {"preflight.json": '{"region": "us-east-1"}'},
            "are from us-east-1, but the profile is in us-west-2",
        ),
        ({"ec2.describe-vpcs.json": "{"}, "cannot be read as JSON"),
        ({"ec2.describe-vpcs.json": "\xff"}, "cannot be read as JSON"),
    ],
)
def test_a_folder_that_cannot_be_used_is_refused(files: dict[str, str], says: str, tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="latin-1")
    with pytest.raises(UnreadableError, match=says):
        read_folder(str(tmp_path), REGION)


def test_a_record_takes_no_folder_that_has_something_in_it(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UnreadableError, match="is not empty"):
        Recorder(FakeCloud().account(), own=ACCOUNT, region=REGION).write(str(tmp_path), NOW)


@given(own=ACCOUNTS, other=ACCOUNTS, name=st.from_regex(r"[a-z][a-z0-9]{0,8}", fullmatch=True))
def test_no_account_number_stays_in_a_text(own: str, other: str, name: str) -> None:
    arn = f"arn:aws:iam::{own}:role/{name} {other} cdk-hnb659fds-assets-{own}-us-west-2"
    shown = without_accounts(arn, own)
    assert set(re.findall(r"(?<![0-9])[0-9]{12}(?![0-9])", shown)) <= {OWN, OTHERS}
    assert same(arn, shown)


def test_the_number_of_the_account_is_gone_from_within_a_name(tmp_path: Path) -> None:
    bucket = f"datasets{ACCOUNT}"
    assert without_accounts(f"{bucket}-x", ACCOUNT) == f"datasets{OWN}-x"
    recorder = Recorder(FakeCloud().account(), own=ACCOUNT, region=REGION)
    recorder.ask("s3", "GetBucketVersioning", None, {"Bucket": bucket})
    recorder.write(str(tmp_path), NOW)
    assert ACCOUNT not in "".join(file.name + file.read_text() for file in tmp_path.iterdir())


@pytest.mark.parametrize("word", ["NextToken", "nextToken"])
def test_one_page_of_several_is_no_answer(word: str, tmp_path: Path) -> None:
    """What it lacks may stand on the next page: nothing is wrong, and nothing is checked."""
    page = {"CapacityReservations": [], word: "eyJ2IjoiMiJ9"}
    recorded = Recorded(answers={"ec2.describe-capacity-reservations": page}, place="answers")
    with pytest.raises(UnansweredError, match="one page of several"):
        recorded.ask("ec2", "DescribeCapacityReservations", None, {})


@given(tail=ACCOUNTS)
def test_the_end_of_a_uuid_is_no_account(tail: str) -> None:
    key = f"1234abcd-12ab-34cd-56ef-{tail}"
    assert without_accounts(key, tail) == key
    assert not same(key, "1234abcd-12ab-34cd-56ef-aaaaaaaaaaaa")


@given(value=st.text(max_size=300))
def test_a_file_has_a_name_that_stays_in_its_folder(value: str) -> None:
    stem = file_stem("iam", "GetRole", None, {"RoleName": value})
    assert re.fullmatch(r"[A-Za-z0-9_.-]{1,200}", stem)
    assert stem.startswith("iam.get-role")


@pytest.mark.sample(2)
@pytest.mark.parametrize("answer", [[], "text", 7, None, {"Subnets": 7}, {"Subnets": [None]}, {"Vpcs": {}}])
def test_files_of_another_form_end_in_no_traceback(answer: object, tmp_path: Path) -> None:
    """Whatever a file holds, what it answers is not checked or read as it stands."""

    class Odd(dict[str, object]):
        def get(self, name: str, default: object = None) -> object:
            return answer

    for name in RICH:
        source = Recorded(answers=Odd(), place="odd")
        report = hold_against(design_of(name, tmp_path), Layered(), source, account=None, now=NOW)
        assert {one.state for one in report.results} <= {"ok", "wrong", "not checked"}
