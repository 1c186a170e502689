"""Each command of the guides does what the page says, in the order of the page."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.cloud.local import local_cloud
from scripts.tools.docs.__main__ import ROOT
from tests.cloud.sandbox import Sandbox
from tests.tools.docs.guides import ELSEWHERE, Shell, commands, read_aws, save_profiles, why_elsewhere

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

GUIDES = ("guides/first-day.md", "guides/operations.md")
"""The third one, of the end of a block, is run in tests/cli/lifecycle/test_commands.py."""


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    with local_cloud() as cloud:
        yield Shell(Sandbox(cloud, tmp_path))


@pytest.mark.long
@pytest.mark.parametrize("page", GUIDES)
def test_each_command_of_a_guide_runs_in_its_order(page: str, shell: Shell) -> None:
    save_profiles(page, shell.sandbox.folder)
    for line in commands(page):
        shell.run(line)
    assert {"npx", "aws", "ultracluster", "sed"} <= set(shell.run_here)


def test_each_reason_for_not_running_a_command_is_of_one() -> None:
    found = [shlex.split(re.sub(r"^[A-Z_]+=", "", line)) for page in GUIDES for line in commands(page)]
    reported = {why_elsewhere(words) for words in found}
    assert reported - {None} == set(ELSEWHERE.values())


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("sagemaker batch-replace-nodes --cluster-name x", "has no batch-replace-nodes"),
        ("sagemaker batch-replace-cluster-nodes --cluster x", "has no --cluster"),
        ("sagemaker batch-replace-cluster-nodes --node-ids x", "needs {'ClusterName'}"),
        ("ec2 describe-instances --filters Nam=x,Values=y", "Nam in Nam=x,Values=y"),
    ],
)
def test_a_command_that_aws_does_not_have_is_found(line: str, says: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(says)):
        read_aws(line.split())


def test_a_program_that_no_test_knows_is_found(shell: Shell) -> None:
    with pytest.raises(AssertionError, match="no test knows how to run reboot"):
        shell.run("reboot now")


@pytest.mark.parametrize("page", GUIDES)
def test_links_of_a_guide_lead_somewhere(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)", text):
        assert ((ROOT / "docs" / page).parent / target).is_file(), target
