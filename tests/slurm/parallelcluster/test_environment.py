"""ParallelCluster's environment: its lock, and the message if it cannot be created."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from scripts.tools.setup.lock import ROOT, locked
from scripts.tools.setup.steps import Toolbox, records
from tests.programs import lacks
from tests.slurm.parallelcluster.package import environment, queries
from tests.slurm.parallelcluster.package.environment import (
    LOCK,
    PclusterMissingError,
    ensure_environment,
    settings,
)

OFFLINE = "NewConnectionError: Temporary failure in name resolution: /simple/aws-parallelcluster/"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose new environments have a pip without network access."""
    shutil.copy(ROOT / LOCK, tmp_path)

    def environment_with_fake_pip(tools: Toolbox) -> None:
        records(tools.root).mkdir(parents=True)
        (tools.venv / "bin").mkdir()
        for name in ("python", "pip"):
            fake = tools.venv / "bin" / name
            fake.write_text(f"#!/bin/sh\necho '{OFFLINE}'\nexit 1\n")
            fake.chmod(0o755)

    monkeypatch.setattr(environment, "make_environment", environment_with_fake_pip)
    return tmp_path


def test_without_a_network_one_line_says_why(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(PclusterMissingError) as raised:
        ensure_environment(checkout)
    (line,) = str(raised.value).splitlines()
    assert line.startswith(
        "the environment of aws-parallelcluster was not made: aws-parallelcluster: "
        "the package registry (PyPI) is not reachable; check the network"
    )
    assert capsys.readouterr().out == ""


def test_progress_is_reported_on_stderr(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(PclusterMissingError):
        ensure_environment(checkout)
    reported = capsys.readouterr().err.splitlines()
    assert reported[:2] == ["installation: 2 steps", "[1/2] Python environment of aws-parallelcluster ..."]


def test_a_failed_installation_is_tried_again_and_no_half_environment_is_used(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(PclusterMissingError):
        ensure_environment(checkout)
    ran = []
    monkeypatch.setattr(environment, "install_locked", lambda lock: lambda tools: ran.append(lock))
    python = ensure_environment(checkout)
    assert ran == [str(checkout / LOCK)]
    assert python == checkout / ".cache/pcluster/.venv/bin/python"
    assert ensure_environment(checkout) == python
    assert len(ran) == 1


def test_the_driver_sees_no_account_and_no_setting_of_the_user() -> None:
    variables = {"PATH": "/bin", "AWS_PROFILE": "production", "AWS_ENDPOINT_URL": "x", "PYTHONPATH": "y"}
    kept = settings(variables, Path("/root"))
    assert kept["PATH"] == "/bin"
    assert kept["AWS_SECRET_ACCESS_KEY"] == "testing"
    assert kept["JSII_NODE"] == "/root/.venv/bin/node"
    assert not {"AWS_PROFILE", "AWS_ENDPOINT_URL", "PYTHONPATH"} & kept.keys()


def test_a_driver_that_fails_is_reported_with_what_it_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\necho 'ImportError: no module' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setattr(queries, "ensure_environment", lambda root: fake)
    empty = queries.AccountState(region="us-west-2", zone="us-west-2a", subnets=[], images={})
    with pytest.raises(
        RuntimeError, match="the driver of aws-parallelcluster failed: ImportError: no module"
    ):
        queries.ask(empty, [])


@pytest.mark.parametrize("required", [True, False])
def test_where_it_cannot_be_made_tests_skip_and_in_continuous_integration_they_fail(
    required: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("ULTRACLUSTER_REQUIRE_TOOLS", "1" if required else "")
    outcome = pytest.fail.Exception if required else pytest.skip.Exception
    with pytest.raises(outcome, match="no network"):
        lacks("no network")


def test_its_jsii_is_not_ours_which_is_why_it_has_an_environment_of_its_own() -> None:
    theirs, ours = (locked((ROOT / name).read_text()) for name in (LOCK, "requirements.txt"))
    assert theirs["jsii"] != ours["jsii"]
    assert theirs["moto"] == ours["moto"]
