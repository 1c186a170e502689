"""The one place where CDK's own template validation runs: users get it by default, tests do not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

BY_NAME = """\
extends: p6-b200
name: zones-by-name
availability_zone_id: null
availability_zone: us-west-2b
network: {secondary_zones: [us-west-2a]}
"""


@pytest.mark.long
@pytest.mark.synth
@pytest.mark.parametrize(
    "name",
    ["p6-b200", *(pytest.param(n, marks=pytest.mark.long) for n in ("p5e", "p6e-gb200", "zones-by-name"))],
)
def test_cdks_own_validation_finds_nothing(name: str, tmp_path: Path) -> None:
    if name == "zones-by-name":
        profile = tmp_path / f"{name}.yaml"
        profile.write_text(BY_NAME, encoding="utf-8")
        name = str(profile)
    environment = {key: value for key, value in os.environ.items() if key != "CDK_VALIDATION"}
    environment |= {"CDK_CONTEXT_JSON": json.dumps({"profile": name}), "CDK_OUTDIR": str(tmp_path / "out")}
    command = [sys.executable, str(ROOT / "app.py")]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "out" / "validation-report.json").read_text(encoding="utf-8"))
    assert [plugin["violations"] for plugin in report["pluginReports"] if plugin["violations"]] == []
