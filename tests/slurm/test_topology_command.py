"""The command `ultracluster topology`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from scripts.cli.main import main

ANSWER = {
    "Instances": [
        {"InstanceId": f"i-{n}", "NetworkNodes": ["nn-1", f"nn-{leaf}"], "ZoneId": "usw2-az2"}
        for n, leaf in enumerate("aaab")
    ]
}


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "topology.json"
    path.write_text(json.dumps(ANSWER))
    return str(path)


def test_it_prints_which_nodes_stand_together(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["topology", file]) == 0
    assert "nn-a        3  i-[0-2]" in capsys.readouterr().out


def test_it_reads_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(ANSWER)))
    assert main(["topology", "-", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["switches"][0] == {
        "name": "nn-a", "nodes": ["i-0", "i-1", "i-2"], "switches": [],
    }  # fmt: skip


@pytest.mark.parametrize("other", [["--nodes", "3"], ["--json"]])
def test_the_file_for_slurm_stands_alone(
    file: str, other: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["topology", file, "--slurm", "24.11", *other]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert f"--slurm and {other[0]} cannot be combined" in printed.err


@pytest.mark.parametrize(
    ("nodes", "status", "says"),
    [
        ("3", 0, "fits under nn-a: --nodelist=i-[0-2]"),
        ("4", 1, "the job needs 2 of them"),
        ("5", 1, "no network has enough nodes"),
    ],
)
def test_a_job_that_stands_under_no_leaf_is_status_1(
    file: str, nodes: str, status: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["topology", file, "--nodes", nodes]) == status
    assert says in capsys.readouterr().out


def test_nodes_have_the_names_that_slurm_gives_them(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = {"nodes": [{"name": f"train-{n + 1}", "instance_id": f"i-{n}"} for n in range(4)]}
    (tmp_path / "nodes.json").write_text(json.dumps(named))
    assert main(["topology", file, "--names", str(tmp_path / "nodes.json"), "--slurm", "24.11"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "SwitchName=nn-a Nodes=train-[1-3]"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not valid JSON"),
        ("{}", "no `Instances`"),
        (None, "cannot read"),
        ("[" * 100_000, "is not valid JSON"),
    ],
)
def test_what_is_no_answer_is_status_2_with_a_hint(
    text: str | None, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        (tmp_path / "given.json").write_text(text)
    assert main(["topology", str(tmp_path / "given.json")]) == 2
    reported = capsys.readouterr().err
    assert says in reported
    assert "hint:" in reported


@pytest.mark.parametrize(
    ("text", "says"),
    [("{}", "does not contain `nodes`"), ('{"nodes": [{}]}', "do not have an `instance_id`")],
)
def test_names_that_are_none_are_refused(
    text: str, says: str, file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "names.json").write_text(text)
    assert main(["topology", file, "--names", str(tmp_path / "names.json")]) == 2
    assert says in capsys.readouterr().err


def test_a_version_that_is_none_is_refused(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["topology", file, "--slurm", "new"]) == 2
    assert "'new' is not a Slurm version" in capsys.readouterr().err


def test_no_nodes_are_no_job(file: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["topology", file, "--nodes", "0"])
