"""`ultracluster images`, from its arguments to its output."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.cli.images import ask
from scripts.cli.main import main
from scripts.cloud.local import LocalCloud, local_cloud

REGION = "us-west-2"
REGISTRY = f"123456789012.dkr.ecr.{REGION}.amazonaws.com"
IMAGES = "images: {repositories: [{name: train}], caches: [{upstream: quay}]}\n"


@pytest.fixture
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a profile with images, without AWS credentials."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    file = tmp_path / "my.yaml"
    file.write_text(f"extends: p6-b200\nname: mine\n{IMAGES}", encoding="utf-8")
    return str(file)


def test_without_credentials_it_shows_what_is_pinned_and_says_so(
    profile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["images", profile, "--orchestrator", "eks"]) == 2
    reported = capsys.readouterr()
    assert "1.35.6-20260714" in reported.out
    assert "the catalogue" in reported.out
    assert "credentials" in reported.err
    assert "--embedded" in reported.err
    assert main(["images", profile, "--orchestrator", "eks", "--json"]) == 2
    data = json.loads(capsys.readouterr().out)
    assert {one["pinned"] for one in data["groups"]} == {"1.35.6-20260714"}


def test_the_policy_is_printed_without_asking_anybody(
    profile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["images", profile, "--policy"]) == 0
    policy = json.loads(capsys.readouterr().out)
    actions = [action for one in policy["Statement"] for action in one["Action"]]
    assert actions == sorted(actions)
    assert "sagemaker:DescribeCluster" in actions
    assert all(one["Effect"] == "Allow" for one in policy["Statement"])


def test_a_profile_with_an_error_is_not_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "my.yaml"
    file.write_text("extends: p6-b200\nname: mine\nimages: {caches: [{upstream: docker-hub}]}\n")
    assert main(["images", str(file)]) == 1
    assert "IMG004" in capsys.readouterr().err


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalCloud]:
    with local_cloud() as running:

        def client(region: str) -> Any:
            return lambda service: running.client(service, region)

        monkeypatch.setattr(ask, "_embedded", client)
        yield running


@pytest.mark.long
@pytest.mark.cloud
def test_of_an_account_in_which_nothing_is_deployed_it_says_so(
    profile: str, cloud: LocalCloud, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["images", profile, "--orchestrator", "pcs", "--embedded"]) == 0
    reported = capsys.readouterr()
    assert "mine: account 123456789012, us-west-2" in reported.out
    assert "mine/train" in reported.out
    assert "does not exist yet" in reported.out
    assert "not checked" not in reported.out
    assert reported.err == ""
    cloud.client("ecr", REGION).create_repository(repositoryName="mine/train")
    assert main(["images", profile, "--orchestrator", "pcs", "--embedded", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["repositories"][0]["why"] == "no image has been pushed yet"
    assert data["not_checked"] == []
    assert {one["state"] for one in data["groups"]} == {"not deployed"}


@pytest.mark.cloud
def test_credentials_of_another_account_than_the_profiles_are_refused(
    profile: str, cloud: LocalCloud, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path(profile).open("a", encoding="utf-8") as file:
        file.write('account: "210987654321"\n')
    assert main(["images", profile, "--embedded"]) == 2
    assert "210987654321" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "image"),
    [
        (["--image", "train:v7", "--account", "123456789012"], f"{REGISTRY}/mine/train:v7"),
        (["--image", "quay.io/a/b:1", "--account", "123456789012"], f"{REGISTRY}/mine/quay/a/b:1"),
        (["--image", "nvcr.io/nvidia/pytorch:26.09-py3"], "nvcr.io/nvidia/pytorch:26.09-py3"),
    ],
)  # fmt: skip
def test_a_job_takes_an_image_that_is_written_short(
    profile: str, arguments: list[str], image: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["job", profile, "--orchestrator", "eks", *arguments]) == 0
    assert f"image: {image}\n" in capsys.readouterr().out


def test_a_job_with_a_short_image_asks_for_the_account(
    profile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["job", profile, "--orchestrator", "eks", "--image", "train:v7"]) == 2
    assert "--account" in capsys.readouterr().err
