"""The lock files are whole, and a bad one is found."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from scripts.tools.setup import lock

FILES = ("pyproject.toml", "package.json", *lock.REQUIREMENTS, lock.NODE)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The files of the repository that the check reads."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(lock.ROOT / name, tmp_path / name)
    return tmp_path


def test_the_lock_files_of_the_repository_are_whole() -> None:
    assert list(lock.findings(lock.ROOT)) == []


@pytest.mark.parametrize(
    "line",
    [
        "--index-url https://mirror.example/simple",
        "--find-links wheels",
        "-f wheels",
        "--extra-index-url=https://mirror.example/simple",
        "boto3 @ https://mirror.example/boto3.whl --hash=sha256:00",
        "boto3 @ file:///wheels/boto3.whl --hash=sha256:00",
        "./wheels/boto3.whl --hash=sha256:00",
        "left-pad==1.0",
        "left-pad>=1.0 \\",
        "# from https://mirror.example/simple",
    ],
)
def test_what_is_not_a_pinned_version_with_its_hashes_is_found(copy: Path, line: str) -> None:
    with (copy / lock.RUNTIME).open("a") as file:
        file.write(f"{line}\n")
    assert list(lock.findings(copy)) == [f"requirements.txt: not a pinned version with its hashes: {line}"]


def test_a_version_that_was_not_locked_again_is_found(copy: Path) -> None:
    project = copy / "pyproject.toml"
    project.write_text(project.read_text().replace("pydantic==", "pydantic==9."))
    (finding,) = lock.findings(copy)
    assert finding.startswith("requirements.txt: pyproject.toml requires pydantic==9.")


def test_a_package_that_the_two_lock_files_pin_differently_is_found(copy: Path) -> None:
    text = (copy / lock.DEVELOPMENT).read_text()
    (copy / lock.DEVELOPMENT).write_text(text.replace("aws-cdk-lib==2", "aws-cdk-lib==1"))
    assert list(lock.findings(copy)) == [
        "requirements-dev.txt: locks another version of aws-cdk-lib than requirements.txt"
    ]


def test_an_address_in_the_node_lock_is_found(copy: Path) -> None:
    content = json.loads((copy / lock.NODE).read_text())
    content["packages"]["node_modules/aws-cdk"]["resolved"] = "https://mirror.example/aws-cdk.tgz"
    (copy / lock.NODE).write_text(json.dumps(content))
    (finding,) = lock.findings(copy)
    assert (
        finding
        == "package-lock.json: node_modules/aws-cdk contains a URL: https://mirror.example/aws-cdk.tgz"
    )


@pytest.mark.parametrize(("kind", "package"), [("dependencies", "aws-cdk"), ("devDependencies", "axe-core")])
def test_a_node_lock_that_is_not_made_from_its_package_file_is_found(
    copy: Path, kind: str, package: str
) -> None:
    content = json.loads((copy / "package.json").read_text())
    content[kind][package] = "9.0.0"
    (copy / "package.json").write_text(json.dumps(content))
    assert list(lock.findings(copy)) == ["package-lock.json: does not match package.json"]
