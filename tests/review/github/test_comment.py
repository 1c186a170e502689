"""The one comment of a pull request: made once, then given each new text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.cli.review import comment
from scripts.cli.review.forms.markdown import MARKER, NOTHING
from tests.review.github.workflows import FAKE_GH

BOT = {"login": "github-actions[bot]"}
OWN = {"id": 7, "user": BOT, "body": f"{MARKER}\n\nold"}
OTHERS: list[dict[str, Any]] = [
    {"id": 1, "user": {"login": "somebody"}, "body": f"{MARKER}\nquoted"},
    {"id": 2, "user": BOT, "body": "of another workflow"},
    {"id": 3, "user": None, "body": None},
]
REPORT = f"{MARKER}\n\n### Review: é `x`\n"


class Hub:
    """The pull request as `gh` of this test sees it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def holds(self, *comments: dict[str, Any]) -> None:
        (self.folder / "comments.json").write_text(json.dumps(comments))

    @property
    def comments(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads((self.folder / "comments.json").read_text())
        return found

    @property
    def asked(self) -> list[tuple[str, str]]:
        return [tuple(json.loads(line)[:2]) for line in (self.folder / "gh.log").read_text().splitlines()]


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    gh = tmp_path / "gh"
    gh.write_text(FAKE_GH)
    gh.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("GH_TOKEN", "token")
    monkeypatch.setenv("GH_STATE", str(tmp_path / "comments.json"))
    monkeypatch.setenv("GH_LOG", str(tmp_path / "gh.log"))
    monkeypatch.setenv("GITHUB_REPOSITORY", "o/n")
    return Hub(tmp_path)


def run(hub: Hub, report: str = REPORT, *more: str) -> int:
    (hub.folder / "review.md").write_text(report, encoding="utf-8")
    return comment.main([str(hub.folder / "review.md"), "--number", "12", *more])


def test_the_first_push_makes_a_comment(hub: Hub) -> None:
    hub.holds(*OTHERS)
    assert run(hub) == 0
    assert hub.comments[:-1] == OTHERS
    assert hub.comments[-1]["body"] == REPORT
    assert hub.asked[-1] == ("POST", "repos/o/n/issues/12/comments")


def test_the_next_push_gives_it_the_new_text(hub: Hub) -> None:
    hub.holds(*OTHERS, OWN)
    assert run(hub) == 0
    assert [found["body"] for found in hub.comments] == [*(found["body"] for found in OTHERS), REPORT]
    assert hub.asked[-1] == ("PATCH", "repos/o/n/issues/comments/7")


def test_a_comment_that_is_deleted_meanwhile_is_written_again(hub: Hub) -> None:
    hub.holds(OWN)
    refused = 'if method == "PATCH":\n    sys.exit("gh: Not Found (HTTP 404)")\n'
    gh = hub.folder / "gh"
    gh.write_text(FAKE_GH.replace('if method == "GET":', f'{refused}if method == "GET":'))
    assert run(hub) == 0
    assert hub.comments[-1]["body"] == REPORT
    assert [method for method, _ in hub.asked] == ["GET", "PATCH", "POST"]


def test_nothing_to_review_makes_no_comment_and_updates_one(hub: Hub) -> None:
    nothing = f"{MARKER}\n\nno profile differs\n\n{NOTHING}\n"
    hub.holds(*OTHERS)
    assert run(hub, nothing) == 0
    assert hub.comments == OTHERS
    hub.holds(OWN)
    assert run(hub, nothing) == 0
    assert hub.comments[0]["body"] == nothing


def test_a_comment_of_an_app_of_your_own_is_found_by_its_name(hub: Hub) -> None:
    hub.holds({**OWN, "user": {"login": "app[bot]"}})
    assert run(hub, REPORT, "--author", "app[bot]") == 0
    assert [found["body"] for found in hub.comments] == [REPORT]


def test_what_github_refuses_is_reported(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.holds()
    monkeypatch.setenv("GH_TOKEN", "")
    assert run(hub) == 2
    assert capsys.readouterr().err == (
        "error: the comment was not written: gh: Resource not accessible by integration (HTTP 403)\n"
    )


def test_without_gh_or_report_the_command_says_so(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(hub.folder / "none"))
    assert run(hub) == 2
    assert "gh is not installed" in capsys.readouterr().err
    assert comment.main([str(hub.folder / "lost.md"), "--number", "1"]) == 2
    assert "lost.md cannot be read: no such file or directory" in capsys.readouterr().err


def test_the_repository_must_be_known(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_REPOSITORY")
    with pytest.raises(SystemExit):
        run(hub)
    hub.holds()
    assert run(hub, REPORT, "--repository", "a/b") == 0
    assert hub.asked[-1][1] == "repos/a/b/issues/12/comments"


def test_an_answer_that_is_no_json_is_reported(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    (hub.folder / "gh").write_text("#!/bin/sh\necho '<html>'\n")
    assert run(hub) == 2
    assert "error: the comment was not written: " in capsys.readouterr().err
