"""`ultracluster plan --proof efa` as a user types it."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from scripts.cli.main import main
from tests.conftest import Synthesized

pytestmark = pytest.mark.synth
Tried = Callable[[str, str | None], Synthesized]


def run(*arguments: str, columns: str | None = None) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    environment = {"COLUMNS": columns} if columns else {}
    with mock.patch.dict("os.environ", environment), redirect_stdout(out), redirect_stderr(err):
        status = main(["plan", *arguments])
    return status, out.getvalue(), err.getvalue()


def template_of(made: Synthesized, folder: Path, change: Callable[[dict[str, Any]], None]) -> str:
    """The template of a synthesis, changed, as a file of its own."""
    body = json.loads(made.text)
    change(body["Resources"])
    file = folder / "template.json"
    file.write_text(json.dumps(body), encoding="utf-8")
    return str(file)


def test_every_link_is_reported_with_place_reason_and_source_in_80_columns(tried: Tried) -> None:
    folder = str(tried("p6-b200", "eks").folder)
    status, out, err = run(
        "p6-b200", "--orchestrator", "eks", "--proof", "efa", "--template", folder, columns="80"
    )
    assert (status, err) == (0, "")
    assert out.startswith("proof of EFA for p6-b200 under eks\nEFA is ready: ")
    long = [line for line in out.splitlines() if len(line) > 80 and "https://" not in line]
    assert long == []
    assert "group train: 16 x p6-b200.48xlarge, 8 EFA interfaces each" in out
    assert "Properties.LaunchTemplateData.NetworkInterfaces" in out
    assert out.count("  source  https://") == out.count("  why     ")
    assert out.endswith("without EFA\ngroup system  m5.4xlarge has no EFA\n")


def test_a_broken_link_comes_first_and_ends_with_1(tried: Tried, tmp_path: Path) -> None:
    def no_way_out(resources: dict[str, Any]) -> None:
        for body in resources.values():
            if body["Type"] == "AWS::EC2::SecurityGroupEgress" and "NetworkNodes" in str(body["Properties"]):
                body["Properties"]["IpProtocol"] = "tcp"

    template = template_of(tried("p6-b200", "pcs"), tmp_path, no_way_out)
    status, out, _ = run("p6-b200", "--orchestrator", "pcs", "--proof", "efa", "--template", template)
    assert status == 1
    assert "EFA is not ready: self-egress of train, " in out
    first = out.split("each\n", 1)[1].splitlines()[0]
    assert first.startswith("BROKEN    self-egress: NetworkNodes23796194 allows only protocol tcp to itself")


def test_json_has_the_same_as_data(tried: Tried) -> None:
    made = tried("p6-b200", "hyperpod-slurm")
    template = str(made.folder / "manifest.json")
    status, out, _ = run("p6-b200", "--proof", "efa", "--json", "--template", template)
    proof = json.loads(out)["proof"]
    assert status == 0
    assert proof["holds"] is True
    links = [link for chain in proof["chains"] for link in chain["links"]]
    assert sum(proof["counts"].values()) == len(links)
    assert {link["state"] for link in links} <= set(proof["counts"])
    assert [chain["kind"] for chain in proof["chains"]] == ["group", "file system"]
    cards = next(link for link in links if link["name"] == "network-cards")
    assert cards["state"] == "left to the service"
    (place,) = cards["where"]
    assert place["at"] in made.template["Resources"]
    assert place["path"] == "Properties.InstanceGroups[2].InstanceType"


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("p5-dev", "EFA is not needed between nodes, because train has only one node: "),
        ("p6-b200-data", "EFA is ready for the file systems, whose clients are in other profiles: "),
    ],
)
def test_what_needs_no_efa_is_reported_plainly(tried: Tried, name: str, verdict: str) -> None:
    status, out, _ = run(name, "--proof", "efa", "--template", str(tried(name, None).folder))
    assert status == 0
    assert out.splitlines()[1].startswith(verdict)


def test_a_profile_without_efa_is_reported_with_the_reason(tried: Tried, tmp_path: Path) -> None:
    file = tmp_path / "small.yaml"
    group = "{name: train, role: compute, instance_type: g6.4xlarge, count: 4}"
    head = "{name: head, role: controller, instance_type: m5.4xlarge, count: 1}"
    file.write_text(
        f"extends: p6-b200\nname: small\ncompute:\n  groups: [{head}, {group}]\n", encoding="utf-8"
    )
    made = tried(str(file), None)
    status, out, _ = run(str(file), "--proof", "efa", "--template", str(made.folder))
    assert status == 0
    assert "EFA is not used: no group or file system of this profile has EFA" in out
    assert "g6.4xlarge has no EFA" in out
    assert "no group of this profile uses the file system over EFA" in out


@pytest.mark.long
def test_without_templates_a_profile_is_synthesized_with_the_one_it_depends_on() -> None:
    status, out, err = run("p6-b200-cluster", "--proof", "efa")
    assert (status, err) == (0, "")
    assert "p6-b200-data NetworkNodesSelfEgressAll889C5635" in out
    assert "file system lustre: Lustre, used over EFA" in out


def test_a_template_alone_does_where_its_scripts_are_of_this_version(tried: Tried, tmp_path: Path) -> None:
    file = str(tried("p6-b200", "eks").folder / "p6-b200.template.json")
    status, out, _ = run("p6-b200", "--orchestrator", "eks", "--proof", "efa", "--template", file)
    assert status == 0
    assert "/settings.env:" in out
    text = Path(file).read_text(encoding="utf-8")
    older = tmp_path / "older.json"
    older.write_text(
        text.replace("/eks-nodes/", "/eks-nodes/0000000000000000/../eks-nodes/"), encoding="utf-8"
    )
    status, _, err = run("p6-b200", "--orchestrator", "eks", "--proof", "efa", "--template", str(older))
    assert status == 2
    assert "eks-nodes/0000000000000000 differ from those of this version and profile" in err


def test_what_else_lies_among_scripts_ends_in_no_traceback(tried: Tried, tmp_path: Path) -> None:
    folder = tmp_path / "cdk.out"
    shutil.copytree(tried("p6-b200", "eks").folder, folder)
    (scripts,) = folder.glob("eks-nodes-*")
    (scripts / "__pycache__").mkdir()
    arguments = ("p6-b200", "--orchestrator", "eks", "--proof", "efa", "--template", str(folder))
    assert run(*arguments)[0] == 0
    (scripts / "prepare.sh").write_bytes(b"\xff\xfe")
    status, _, err = run(*arguments)
    assert status == 2
    assert f"{scripts.name}/prepare.sh is not UTF-8 text" in err


@pytest.mark.parametrize(
    ("arguments", "reported", "hint"),
    [
        (("p6-b200", "--template", "cdk.out"), "--template requires --proof", "--proof efa"),
        (
            ("p6-b200", "--json", "--format", "html"),
            "--json and --format html cannot be combined",
            "remove one",
        ),
        (("p6-b200", "--proof", "efa", "--template", "nowhere"), "nowhere is missing", "use another file"),
        (("p6-b200", "--proof", "efa", "--template", "."), ". has no manifest.json", "cdk.out folder"),
        (
            ("p6-b200", "--proof", "efa", "--template", "text"),
            "text: unsupported structure",
            "that `cdk synth` wrote",
        ),
        (
            ("p6-b200", "--proof", "efa", "--template", "other"),
            "template of p6-b200 is missing",
            "--template",
        ),
        (("p6-b200-cluster", "--proof", "efa", "--template", "own"), "depends on p6-b200-data", "again"),
    ],
)
def test_a_mistake_is_one_line_and_a_hint(
    arguments: tuple[str, ...], reported: str, hint: str, tried: Tried, tmp_path: Path
) -> None:
    (tmp_path / "text").write_text("- a list\n", encoding="utf-8")
    shutil.copytree(tried("p5", "hyperpod-slurm").folder, tmp_path / "other")
    shutil.copytree(tried("p6-b200-cluster", "hyperpod-slurm").folder, tmp_path / "own")
    with chdir(tmp_path):
        status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert reported in err
    assert hint in err
    assert "Traceback" not in err


def test_a_profile_with_errors_is_not_proven(tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text("extends: p6-b200\nname: wrong\nregion: nowhere-1\n", encoding="utf-8")
    status, out, err = run(str(file), "--proof", "efa", "--json")
    assert status == 1
    assert json.loads(out)["proof"] is None
    assert "error[" in err
