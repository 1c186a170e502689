"""`ultracluster review` as a user types it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.cli.main import main
from tests.conftest import ROOT, SNAPSHOTS
from tests.review.support import ONE, TWO, Body, snapshot, write

DATA = str(SNAPSHOTS / "p6-b200-data.template.json")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    smaller: Body = snapshot()
    for declared in smaller["Resources"].values():
        if declared["Type"] == "AWS::FSx::FileSystem":
            declared["Properties"]["StorageCapacity"] = 19200
    files = {"one.json": ONE, "two.json": TWO, "old.json": snapshot(), "new.json": smaller}
    return write(tmp_path, files)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("one.json", "one.json"), 0),
        (("one.json", "two.json"), 0),
        (("old.json", "new.json"), 1),
        (("old.json", "new.json", "--json"), 1),
        (("old.json", "new.json", "--format", "markdown"), 1),
        (("old.json", "lost.json"), 2),
        (("lost.json", "lost.json", "--json"), 2),
    ],
    ids=lambda value: str(value),
)
def test_the_exit_status_says_how_it_ended(arguments: tuple[str, ...], status: int) -> None:
    assert main(["review", *arguments]) == status


@pytest.mark.usefixtures("folder")
def test_each_form_tells_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    forms = {}
    for form in ("text", "markdown", "json"):
        main(["review", "old.json", "new.json", "--format", form, "--region", "us-west-2"])
        forms[form] = capsys.readouterr().out
    for text in forms.values():
        assert "REV010" in text
        assert "StorageCapacity" in text
        assert "us-west-2" in text
    assert json.loads(forms["json"])["exit_status"] == 1


@pytest.mark.usefixtures("folder")
def test_wrong_inputs_are_said_on_stderr_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", "lost.json", "p6-b20", "--json"]) == 2
    reported = capsys.readouterr()
    assert [p["input"] for p in json.loads(reported.out)["problems"]] == ["OLD", "NEW"]
    assert "error: OLD: lost.json is not a file" in reported.err
    assert "did you mean p6-b200" in reported.err
    assert "Traceback" not in reported.err


@pytest.mark.usefixtures("folder")
def test_a_template_that_cannot_be_read_is_named_by_its_side(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, {"wrong.json": {"Resources": {"A": {"Type": "AWS::SNS::Topic", "DependsOn": "B"}}}})
    assert main(["review", "one.json", "wrong.json"]) == 2
    assert "error: NEW: wrong.json: the new template: Unresolved" in capsys.readouterr().err


def run(code: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "constructs")])}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.long
def test_a_review_of_templates_loads_no_cloud_and_no_cdk_and_starts_nothing() -> None:
    code = (
        "import sys, subprocess\n"
        "def refuse(*a, **k): raise AssertionError('a process was started')\n"
        "subprocess.Popen.__init__ = refuse\n"
        "from scripts.cli.main import main\n"
        f"assert main(['review', {DATA!r}, {DATA!r}]) == 0\n"
        "loaded = {'aws_cdk', 'jsii', 'boto3', 'botocore', 'moto', 'cfnlint'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    done = run(code)
    assert done.returncode == 0, done.stderr


def test_help_says_what_can_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["review", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "a template, a cdk.out folder or a profile (name or YAML file). REVISION:PATH" in text
