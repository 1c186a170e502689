"""The templates under review: what a pull request shows is what `cdk synth` writes."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from config.profile.source.reference import built_in_names
from tests.conftest import ROOT, SNAPSHOTS, Synthesized

PROFILES = built_in_names()
TRIED = (("p6-b200", "pcs"), ("p6-b200", "eks"), ("p6-b200", "hyperpod-eks"))


@pytest.mark.synth
@pytest.mark.parametrize(("name", "orchestrator"), [*((name, None) for name in PROFILES), *TRIED])
def test_the_template_equals_its_snapshot(
    name: str,
    orchestrator: str | None,
    tried: Callable[[str, str | None], Synthesized],
    request: pytest.FixtureRequest,
) -> None:
    file = SNAPSHOTS / f"{name}{f'.{orchestrator}' if orchestrator else ''}.template.json"
    text = tried(name, orchestrator).text
    if request.config.getoption("--update-snapshots"):
        file.write_text(text, encoding="utf-8")
    hint = "read the difference; `make snapshots` accepts it"
    assert file.read_text(encoding="utf-8") == text, hint


def test_every_snapshot_belongs_to_a_profile() -> None:
    known = [*PROFILES, *(f"{name}.{orchestrator}" for name, orchestrator in TRIED)]
    assert {file.name for file in SNAPSHOTS.iterdir()} == {f"{name}.template.json" for name in known}


def _tree(folder: Path) -> dict[str, str]:
    """Every file that is deployed, by name and hash; the CLI's own bookkeeping is not."""
    bookkeeping = {"manifest.json", "cdk.out", "tree.json", "validation-report.json", "synth.lock"}
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
        and file.name not in bookkeeping
        and not file.name.startswith("read.")
        and ".cache" not in file.parts  # what was put into buckets, packed
    }


@pytest.mark.sample(1)
@pytest.mark.synth
@pytest.mark.parametrize("orchestrator", [None, "hyperpod-eks"])
def test_app_py_writes_the_same_bytes_with_other_context_and_settings(
    orchestrator: str | None, tmp_path: Path, tried: Callable[[str, str | None], Synthesized]
) -> None:
    # a user's ~/.cdk.json and the CLI add context of their own: none of it may reach the template
    context = {
        "profile": "p6-b200", "aws:cdk:enable-path-metadata": True, "aws:cdk:enable-asset-metadata": True,
        "aws:cdk:version-reporting": True, "@aws-cdk/core:enablePartitionLiterals": False,
        **({"orchestrator": orchestrator} if orchestrator else {}),
    }  # fmt: skip
    environment = os.environ | {
        "CDK_CONTEXT_JSON": json.dumps(context), "CDK_OUTDIR": str(tmp_path / "out"),
        "CDK_DEFAULT_ACCOUNT": "123456789012",
        "CDK_DEFAULT_REGION": "eu-west-1", "TZ": "Asia/Tokyo",
    }  # fmt: skip
    subprocess.run(
        [sys.executable, str(ROOT / "app.py")], env=environment, cwd=ROOT, check=True, capture_output=True
    )
    assert _tree(tmp_path / "out") == _tree(tried("p6-b200", orchestrator).folder)


@pytest.mark.synth
def test_a_template_holds_nothing_of_this_machine(
    tried: Callable[[str, str | None], Synthesized],
) -> None:
    for case in [*((name, None) for name in PROFILES), *TRIED]:
        for file in tried(*case).folder.rglob("*.json"):
            text = file.read_text(encoding="utf-8")
            assert str(ROOT) not in text, file.name
            assert str(tried(*case).folder) not in text, file.name
