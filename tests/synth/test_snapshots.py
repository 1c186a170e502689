"""The templates under review: what a pull request shows is what `cdk synth` writes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from config.profile.reference import built_in_names
from tests.conftest import ROOT, SNAPSHOTS, Synthesized

PROFILES = built_in_names()


@pytest.mark.synth
@pytest.mark.parametrize("name", PROFILES)
def test_the_template_equals_its_snapshot(
    name: str, synthesized: Callable[[str], Synthesized], request: pytest.FixtureRequest
) -> None:
    file = SNAPSHOTS / f"{name}.template.json"
    text = synthesized(name).text
    if request.config.getoption("--update-snapshots"):
        file.write_text(text, encoding="utf-8")
    hint = "read the difference; `make snapshots` accepts it"
    assert file.read_text(encoding="utf-8") == text, hint


def test_every_snapshot_belongs_to_a_profile() -> None:
    assert {file.name for file in SNAPSHOTS.iterdir()} == {f"{name}.template.json" for name in PROFILES}


def _tree(folder: Path) -> dict[str, str]:
    """Every file that is deployed, by name and hash; the CLI's own bookkeeping is not."""
    bookkeeping = {"manifest.json", "cdk.out", "tree.json", "validation-report.json", "synth.lock"}
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name not in bookkeeping and not file.name.startswith("read.")
    }


@pytest.mark.synth
def test_app_py_writes_the_same_bytes_with_other_context_and_settings(
    tmp_path: Path, synthesized: Callable[[str], Synthesized]
) -> None:
    # a user's ~/.cdk.json and the CLI add context of their own: none of it may reach the template
    context = (
        '{"profile": "p6-b200", "aws:cdk:enable-path-metadata": true, "aws:cdk:enable-asset-metadata": true,'
        ' "aws:cdk:version-reporting": true, "@aws-cdk/core:enablePartitionLiterals": false}'
    )
    environment = os.environ | {
        "CDK_CONTEXT_JSON": context, "CDK_OUTDIR": str(tmp_path / "out"),
        "CDK_DEFAULT_ACCOUNT": "123456789012",
        "CDK_DEFAULT_REGION": "eu-west-1", "TZ": "Asia/Tokyo",
    }  # fmt: skip
    subprocess.run(
        [sys.executable, str(ROOT / "app.py")], env=environment, cwd=ROOT, check=True, capture_output=True
    )
    assert _tree(tmp_path / "out") == _tree(synthesized("p6-b200").folder)


@pytest.mark.synth
def test_a_template_holds_nothing_of_this_machine(synthesized: Callable[[str], Synthesized]) -> None:
    for name in PROFILES:
        for file in synthesized(name).folder.rglob("*.json"):
            text = file.read_text(encoding="utf-8")
            assert str(ROOT) not in text, file.name
            assert str(synthesized(name).folder) not in text, file.name
