"""`ultracluster rotate`: the order of steps on every control plane, and rejected profiles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from config.cluster import load_cluster
from scripts.cli.main import main

PLAN = "arn:aws:sagemaker:us-west-2:123456789012:training-plan"
BLOCK = """{kind: capacity-block, reservation_id: cr-0a1b2c3d4e5f60718,
       start: 2027-01-04T11:30Z, end: 2027-01-11T11:30Z,
       next: {reservation_id: cr-0a1b2c3d4e5f60719, start: 2027-01-12T11:30Z, end: 2027-01-19T11:30Z}}"""
CAPACITY = {
    "hyperpod-slurm": f"{{kind: training-plan, arn: '{PLAN}/one', availability_zone_id: usw2-az2, "
    f"next: {{arn: '{PLAN}/two'}}}}",
    "hyperpod-eks": f"{{kind: training-plan, arn: '{PLAN}/one', availability_zone_id: usw2-az2, "
    f"next: {{arn: '{PLAN}/two'}}}}",
    "eks": BLOCK,
    "pcs": BLOCK,
}


def written(folder: Path, kind: str, capacity: str) -> Path:
    system = "    - {name: system, role: system, instance_type: m6i.4xlarge, count: 2}\n"
    heads = {
        "hyperpod-slurm": "    - {name: controller, role: controller, instance_type: m5.4xlarge, count: 1}\n",
        "eks": system,
        "hyperpod-eks": system,
    }
    file = folder / "west.yaml"
    file.write_text(
        f"extends: p6-b200\nname: west\norchestrator: {{kind: {kind}}}\n"
        f"compute:\n  groups:\n{heads.get(kind, '')}"
        f"    - name: train\n      role: compute\n      instance_type: p6-b200.48xlarge\n      count: 16\n"
        f"      spare: 1\n      capacity:\n       {capacity}\n"
    )
    return file


def reported(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["rotate", *arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize(
    ("kind", "actions"),
    [
        ("hyperpod-slurm", "drain deploy wait release"),
        ("hyperpod-eks", "drain deploy wait release"),
        ("pcs", "drain deploy wait release"),
        ("eks", "drain deploy wait deploy release"),
    ],
)
def test_every_step_has_its_moment_and_each_deployment_its_profile(
    kind: str, actions: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, kind, CAPACITY[kind])
    found = reported([str(file), "--to", str(tmp_path / "then")], capsys)
    assert " ".join(step["action"] for step in found["steps"]) == actions
    assert all(step["when"] and step["why"] for step in found["steps"])
    for step in found["steps"]:
        if step["action"] == "deploy":
            cluster = load_cluster(step["file"])
            assert cluster.design is not None, cluster.diagnostics
            assert step["command"] == f"cdk deploy --context profile={step['file']}"
            assert step["source"].startswith("https://docs.aws.amazon.com/")
    last = load_cluster(str(tmp_path / "then" / "west-next.yaml")).design
    assert last is not None
    (group,) = [group for group in last.groups if group.role == "compute"]
    assert (group.count, group.spare, last.profile.name) == (16, 1, "west")
    assert found["after"] in repr(group.capacity)
    assert getattr(group.capacity, "next", None) is None


@pytest.mark.parametrize("kind", ["hyperpod-slurm", "hyperpod-eks", "eks", "pcs"])
def test_a_profile_in_an_environment_stays_the_same_stack(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, kind, CAPACITY[kind])
    file.write_text(file.read_text() + "environment: prod\n")
    found = reported([str(file), "--to", str(tmp_path / "then")], capsys)
    for step in found["steps"]:
        if step["action"] == "deploy":
            cluster = load_cluster(step["file"])
            assert cluster.design is not None, cluster.diagnostics
            assert cluster.design.profile.name == "west-env-prod"


@pytest.mark.parametrize("scheduler", ["kueue", "volcano", "kai"])
def test_shares_of_teams_wait_for_the_next_reservation(
    scheduler: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, "eks", CAPACITY["eks"])
    shares = (
        "teams: [{name: one, shares: [{nodes: 9, borrow: 0}]}, {name: two, shares: [{nodes: 6, borrow: 0}]}]"
    )
    declared = f"{{kind: eks, scheduler: {scheduler}, scheduling: {{{shares}}}}}"
    file.write_text(file.read_text().replace("{kind: eks}", declared))
    found = reported([str(file), "--to", str(tmp_path / "then")], capsys)
    for step in found["steps"]:
        if step["action"] == "deploy":
            cluster = load_cluster(step["file"])
            assert cluster.design is not None, cluster.diagnostics


def test_times_are_those_of_the_reservations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")  # what is to be copied is in one line there, too
    assert main(["rotate", str(written(tmp_path, "eks", CAPACITY["eks"]))]) == 0
    shown = capsys.readouterr().out
    assert "when: before 2027-01-11T10:50Z" in shown
    assert "when: until 2027-01-12T11:30Z" in shown
    assert f"ultracluster drain {tmp_path}/west.yaml --group train --release --aws" in shown


@pytest.mark.parametrize(
    ("capacity", "more", "says"),
    [
        ("{kind: on-demand}", [], "no group has a next reservation"),
        (BLOCK, ["--group", "trian"], "there is no group trian"),
        (BLOCK, ["--group", "system"], "group system has no next reservation"),
    ],
)
def test_what_cannot_be_rotated_is_said(
    capacity: str, more: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, "eks", capacity)
    assert main(["rotate", str(file), *more]) == 2
    assert says in capsys.readouterr().err


def test_one_of_several_groups_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, "pcs", CAPACITY["pcs"])
    text = file.read_text()
    more = text[text.index("    - name: train") :].replace("train", "more").replace("60718", "60720")
    file.write_text(text + more)
    assert main(["rotate", str(file)]) == 2
    assert "several groups have a next reservation: train, more" in capsys.readouterr().err
    assert reported([str(file), "--group", "more"], capsys)["group"] == "more"


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, "pcs", CAPACITY["pcs"])
    assert main(["rotate", str(file), "--to", str(file / "then")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_profile_with_an_error_is_not_rotated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, "pcs", CAPACITY["pcs"].replace("60719", "60718"))
    assert main(["rotate", str(file)]) == 1
    assert "LIF004" in capsys.readouterr().err
