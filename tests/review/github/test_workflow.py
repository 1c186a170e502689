"""The steps of the workflows, run as GitHub runs them on a pull request that changes a profile."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from scripts.cli.markdown import MAX_CHARACTERS
from scripts.cli.review.forms.markdown import MARKER
from scripts.tools.docs.__main__ import ROOT
from tests.review.github.workflows import OWN, PAGE, Runner, workflows
from tests.review.support import git

pytestmark = pytest.mark.long

WORKFLOWS = workflows()
FOLDERS = {OWN: "config/profiles", PAGE: "clusters"}

Edit = Callable[[Path], None]


def added(name: str, text: str) -> Edit:
    def edit(folder: Path) -> None:
        (folder / name).write_text(text, encoding="utf-8")

    return edit


def removed(name: str) -> Edit:
    return lambda folder: (folder / name).unlink()


def declared(**keys: object) -> Edit:
    """The profile with some of its keys stated otherwise."""

    def edit(folder: Path) -> None:
        profile = yaml.safe_load((folder / "p5-dev.yaml").read_text(encoding="utf-8"))
        (folder / "p5-dev.yaml").write_text(yaml.safe_dump({**profile, **keys}), encoding="utf-8")

    return edit


def together(*edits: Edit) -> Edit:
    def edit(folder: Path) -> None:
        for one in edits:
            one(folder)

    return edit


CASES: dict[str, tuple[Edit, int, list[str]]] = {
    "a_harmless_change_a_profile_that_comes_and_one_that_goes": (
        together(
            declared(tags={"team": "research"}),
            added("mine.yaml", "extends: p5-dev\nname: mine\n"),
            removed("other.yaml"),
        ),
        0,
        ["3 stacks: 1 new, 1 removed, 1 changed", "changed in place", "mine (us-east-2)", ": new stack, ",
         "**Price**", "| total of listed prices |", "**warning REV050**",
         "remains deployed and is still billed"],
    ),
    "a_replacement": (
        declared(network={"kind": "new", "vpc_cidr": "10.9.0.0/16"}),
        1,
        ["**error REV001**", "**Replaced, deleted or interrupted**", "| replace | network |"],
    ),
    "errors": (
        together(declared(name="No Such Name!"), added("other.yaml", "extends: [\nname: x\n")),
        1,
        [
            "2 stacks: 2 invalid",
            "p5-dev.yaml: the profile has errors and cannot be deployed",
            "other.yaml: the profile has errors and cannot be deployed",
        ],
    ),
    "nothing": (added("notes.md", "words\n"), 0, ["no profile differs"]),
}  # fmt: skip


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a profile at both places where the workflows look, as the branch to merge into."""
    folder = tmp_path_factory.mktemp("upstream")
    git(folder, "clone", "--quiet", "--no-tags", f"file://{ROOT}", str(folder / "clone"))
    clone = folder / "clone"
    git(clone, "checkout", "--quiet", "-B", "main")
    for place in FOLDERS.values():
        (clone / place).mkdir(exist_ok=True)
        shutil.copy(ROOT / "config/profiles/p5-dev.yaml", clone / place)
        (clone / place / "other.yaml").write_text("extends: p5-dev\nname: other\n", encoding="utf-8")
    git(clone, "add", "--all", "--force", *FOLDERS.values())
    git(clone, "commit", "--quiet", "--allow-empty", "--message=the profiles")
    return clone


def checked_out(upstream: Path, work: Path, place: str, edit: Edit) -> Path:
    """What actions/checkout leaves with `fetch-depth: 2`: the commit that merging would make, detached."""
    branch = work / "branch"
    git(work, "clone", "--quiet", "--shared", str(upstream), str(branch))
    git(branch, "checkout", "--quiet", "-b", "change")
    edit(branch / place)
    git(branch, "add", "--all")
    git(branch, "commit", "--quiet", "--allow-empty", "--message=a change")
    # the branch below has gone on in the meantime: what it changed is none of this pull request
    git(branch, "checkout", "--quiet", "-b", "merged", "main")
    (branch / place / "later.yaml").write_text("extends: p5-dev\nname: later\n", encoding="utf-8")
    git(branch, "add", "--all")
    git(branch, "commit", "--quiet", "--message=another change")
    git(branch, "merge", "--quiet", "--no-ff", "--message=merge", "change")
    checkout = work / "checkout"
    git(work, "clone", "--quiet", "--depth=2", "--branch=merged", f"file://{branch}", str(checkout))
    git(checkout, "checkout", "--quiet", "--detach")
    return checkout


def installed(checkout: Path, workflow: str) -> None:
    """The set-up: this very Python, where the workflow expects it."""
    folder = checkout if workflow == OWN else checkout / ".ultracluster"
    folder.mkdir(exist_ok=True)
    (folder / ".venv").symlink_to(sys.prefix)


def runner(checkout: Path, work: Path, head: str = "o/n", actor: str = "somebody") -> Runner:
    return Runner(
        checkout=checkout,
        work=work / "runner",
        context={
            "github.repository": "o/n",
            "github.token": "token",
            "github.actor": actor,
            "github.event.pull_request.number": "12",
            "github.event.pull_request.head.repo.full_name": head,
        },
        # this version, whichever one that Python has
        environment={"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "constructs")])},
    )


@pytest.mark.synth
@pytest.mark.parametrize(
    ("workflow", "case"), [*((OWN, case) for case in CASES), (PAGE, "a_replacement"), (PAGE, "nothing")]
)
def test_a_pull_request_gets_its_comment_and_its_status(
    workflow: str, case: str, upstream: Path, tmp_path: Path
) -> None:
    edit, status, messages = CASES[case]
    checkout = checked_out(upstream, tmp_path, FOLDERS[workflow], edit)
    installed(checkout, workflow)
    github = runner(checkout, tmp_path)
    ended = github.run(WORKFLOWS[workflow])
    assert ended == {"Review": 0, "Comment": 0, "Result": status}
    assert github.summary.startswith(MARKER)
    assert len(github.summary) <= MAX_CHARACTERS
    for word in messages:
        assert word in github.summary
    assert github.summary.count("**error ") == 0 or status == 1
    assert "later" not in github.summary
    assert [comment["body"] for comment in github.state] == ([] if case == "nothing" else [github.summary])
    assert {token for _, _, token in github.asked} == {"token"}


@pytest.mark.synth
def test_a_second_push_updates_the_comment_of_the_first(upstream: Path, tmp_path: Path) -> None:
    checkout = checked_out(upstream, tmp_path, FOLDERS[OWN], removed("other.yaml"))
    installed(checkout, OWN)
    github = runner(checkout, tmp_path)
    github.comments = [{"id": 5, "user": {"login": "github-actions[bot]"}, "body": f"{MARKER}\nold"}]
    github.run(WORKFLOWS[OWN])
    assert [(comment["id"], comment["body"]) for comment in github.state] == [(5, github.summary)]


@pytest.mark.synth
@pytest.mark.parametrize(
    ("head", "actor", "workflow"), [("fork/n", "somebody", OWN), ("o/n", "dependabot[bot]", PAGE)]
)
def test_a_pull_request_without_a_token_has_the_summary_and_fails_all_the_same(
    head: str, actor: str, workflow: str, upstream: Path, tmp_path: Path
) -> None:
    checkout = checked_out(upstream, tmp_path, FOLDERS[workflow], CASES["errors"][0])
    installed(checkout, workflow)
    github = runner(checkout, tmp_path, head, actor)
    assert github.run(WORKFLOWS[workflow]) == {"Review": 0, "Comment": None, "Result": 1}
    assert "**error " in github.summary
    assert github.asked == []


def test_a_clone_of_depth_one_is_reported_with_what_to_fetch(upstream: Path, tmp_path: Path) -> None:
    checkout = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{upstream}", str(checkout))
    installed(checkout, OWN)
    github = runner(checkout, tmp_path)
    assert github.run(WORKFLOWS[OWN]) == {"Review": 0, "Comment": 0, "Result": 2}
    assert "`HEAD^1`: 'HEAD^1' is not a revision of this repository" in github.summary
    assert "git fetch --unshallow" in github.summary


@pytest.mark.synth
def test_the_steps_run_on_a_commit_to_this_repository(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    git(tmp_path, "clone", "--quiet", "--depth=2", f"file://{ROOT}", str(checkout))
    declared(tags={"team": "research"})(checkout / FOLDERS[OWN])
    git(checkout, "commit", "--quiet", "--all", "--message=tags")
    installed(checkout, OWN)
    github = runner(checkout, tmp_path)
    # its own code is what is reviewed, each side by its own
    github.environment = {"PYTHONPATH": os.pathsep.join([str(checkout), str(checkout / "constructs")])}
    ended = github.run(WORKFLOWS[OWN])
    assert ended == {"Review": 0, "Comment": 0, "Result": 0}, (tmp_path / "runner/last.txt").read_text()
    assert "**p5-dev (us-east-2)" in github.summary


@pytest.mark.synth
def test_a_change_of_the_code_is_reported_by_the_code_of_each_side(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--no-tags", f"file://{ROOT}", str(clone))
    code = next(
        path
        for path in (clone / "constructs").rglob("*.py")
        if "Nodes of the HyperPod cluster" in path.read_text(encoding="utf-8")
    )
    text = code.read_text(encoding="utf-8")
    code.write_text(text.replace("Nodes of the HyperPod", "Instances of the HyperPod"), encoding="utf-8")
    git(clone, "commit", "--quiet", "--all", "--message=other words")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(clone), str(clone / "constructs")])}
    done = subprocess.run(
        [sys.executable, "-m", "scripts.cli.main", "review", "HEAD^1", "HEAD", "--changed", "--json",
         "--under", "config/profiles/p5-dev.yaml"],
        cwd=clone, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (stack,) = json.loads(done.stdout)["stacks"]
    (change,) = stack["changes"]
    assert (stack["profile"], change["type"]) == ("config/profiles/p5-dev.yaml", "AWS::IAM::Role")
    assert [edit["path"] for edit in change["properties"]] == ["Description"]
