"""What the tests of a review share."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from scripts.cli.review import Review, review_templates
from scripts.cloud.template.document import Template
from tests.review.support import Body, Repository, git, snapshot, write


@pytest.fixture
def edited() -> Callable[[Callable[[Body], None]], Review]:
    """The review of the built-in p6-b200 against itself with something changed."""

    def review(edit: Callable[[Body], None]) -> Review:
        old = snapshot()
        new = copy.deepcopy(old)
        edit(new)
        return review_templates(Template("", old), Template("", new), region="us-west-2", stack="p6-b200")

    return review


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository with one commit, tagged by its number, for each mapping of files."""

    def make(*commits: Mapping[str, Any]) -> Path:
        folder = tmp_path / "repository"
        folder.mkdir()
        git(folder, "init", "--quiet", "--initial-branch=main")
        for number, files in enumerate(commits):
            write(folder, files)
            git(folder, "add", "--all")
            git(folder, "commit", "--quiet", "--allow-empty", "--message=a commit")
            git(folder, "tag", f"v{number}")
        return folder

    return make
