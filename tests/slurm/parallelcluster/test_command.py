"""The command `ultracluster pcluster`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from scripts.cli.main import main

SUBNET, FILES, GROUP = "subnet-0123456789abcdef0", "fs-0123456789abcdef0", "sg-0123456789abcdef0"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["pcluster", *arguments])
    reported = capsys.readouterr()
    return status, reported.out, reported.err


def test_the_file_goes_to_standard_output_and_the_rest_to_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, err = run(capsys, "p6-b200")
    assert status == 0
    assert out.splitlines()[0].startswith("# AWS ParallelCluster 3.16.1, created from the profile p6-b200")
    assert "# replace subnet-replaceme00000001: the primary subnet, 10.0.0.0/17 in usw2-az2" in out
    assert yaml.safe_load(out)["Region"] == "us-west-2"
    assert "PCL020" in err
    assert "set the ID with `--subnet ID`; find the ID with: aws ec2 describe-subnets" in err


def test_the_file_is_written_where_one_wants_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "cluster-config.yaml"
    options = ("--subnet", SUBNET, "--file-system", f"lustre={FILES}", "--security-group", GROUP)
    status, out, err = run(capsys, "p6-b200", "--output", str(file), *options)
    assert (status, out) == (0, "")
    assert f"wrote {file}" in " ".join(err.split())
    assert "replace " not in err
    assert "replaceme" not in file.read_text()
    assert yaml.safe_load(file.read_text())["SharedStorage"][0]["FsxLustreSettings"] == {
        "FileSystemId": FILES
    }


def test_what_yaml_1_1_would_read_as_a_number_stays_a_text(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    profile = tmp_path / "mine.yaml"
    profile.write_text(
        "extends: p6-b200\nname: mine\nstorage: {lustre: {efa: false, data_repositories: []}}\n"
    )
    _, out, _ = run(capsys, str(profile))
    settings = yaml.safe_load(out)["SharedStorage"][0]["FsxLustreSettings"]
    assert settings["WeeklyMaintenanceStartTime"] == "7:03:00"


def test_what_cannot_be_expressed_is_reported_all_at_once_and_no_file_is_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "cluster-config.yaml"
    status, out, err = run(capsys, "p6e-gb200", "--output", str(file))
    assert (status, out) == (1, "")
    assert [code for code in ("PCL001", "PCL006", "PCL008") if code not in err] == []
    assert not file.exists()


def test_a_program_gets_one_json_value(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "p6-b200", "--json")
    reported = json.loads(out)
    assert (status, err) == (0, "")
    assert reported["configuration"]["Image"] == {"Os": "alinux2023"}
    assert [one["option"] for one in reported["to_fill_in"]] == [
        "--subnet ID",
        "--file-system ID",
        "--security-group ID",
    ]
    assert "PCL020" in {d["code"] for d in reported["diagnostics"]}
    status, out, _ = run(capsys, "p6e-gb200", "--json")
    assert (status, json.loads(out)["configuration"]) == (1, None)


def test_a_profile_is_read_as_one_of_slurm_when_asked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    profile = tmp_path / "mine.yaml"
    profile.write_text(
        "extends: p6-b200\nname: mine\norchestrator: {kind: eks}\ncompute:\n  groups:\n"
        "    - {name: train, role: compute, instance_type: p6-b200.48xlarge, count: 2}\n"
    )
    status, _, err = run(capsys, str(profile))
    assert (status, "PCL002" in err) == (1, True)
    status, out, err = run(capsys, str(profile), "--orchestrator", "pcs")
    assert status == 0, err
    assert yaml.safe_load(out)["Scheduling"]["SlurmQueues"][0]["Name"] == "train"


def test_a_finding_can_be_waived(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    profile = tmp_path / "mine.yaml"
    profile.write_text(
        "extends: p6-b200\nname: mine\nwaive: [{code: PCL021, reason: our image sets LNet up}]\n"
    )
    status, _, err = run(capsys, str(profile))
    assert status == 0
    assert "waived warning[PCL021]" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--subnet", "subnet-1"), "use an ID such as subnet-0123456789abcdef0"),
        (("--subnet", FILES), "use an ID such as subnet-"),
        (("--subnet", f"far={SUBNET}"), "use one of primary"),
        (("--subnet", SUBNET, SUBNET), "sets primary twice"),
        (("--file-system", f"work={FILES}"), "use one of lustre"),
        (("--security-group", SUBNET), "use an ID such as sg-"),
        (("--ami", "latest"), "use an ID such as ami-"),
        (("--actions", "https://example.com/x"), "s3://BUCKET/PREFIX"),
        (("--output", "no/such/folder/file.yaml"), "a folder that exists"),
    ],
)
def test_a_wrong_option_is_one_line_and_a_hint(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    status, out, err = run(capsys, "p6-b200", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert said in " ".join(err.split())
    status, out, _ = run(capsys, "p6-b200", *arguments, "--json")
    assert (status, said in json.loads(out)["hint"] + json.loads(out)["error"]) == (2, True)


def test_a_hint_lists_names_as_one_would_write_them(capsys: pytest.CaptureFixture[str]) -> None:
    ids = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]
    assert main(["pcluster", "p5", "--subnet", *ids]) == 2
    said = capsys.readouterr().err
    assert "sets primary twice" in said
    assert "write NAME=ID for each of primary" in said


def test_an_unknown_profile_is_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "p6-b2000")[0] == 2
