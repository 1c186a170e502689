"""What a profile waives is synthesized, and stands in the template for whoever deploys or reviews it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app import synthesize
from tests.conftest import ROOT, SNAPSHOTS
from tests.rules.waiving import REASON, WAIVABLE, bad_rows, waived

PARIS = """\
extends: p6-b200
name: paris
region: eu-west-3
availability_zone: eu-west-3a
network: {secondary_zones: []}
storage: null
waive:
  - {code: ORC006, reason: HyperPod came to Paris this month}
  - {code: OBS001, reason: Grafana came to Paris this month}
"""


@pytest.mark.sample(1)
@pytest.mark.synth
@pytest.mark.parametrize("code", WAIVABLE)
def test_a_profile_whose_errors_are_waived_synthesizes_with_its_waivers(code: str, tmp_path: Path) -> None:
    clusters = [waived(row, tmp_path)[1] for row in bad_rows(code)]
    cluster = next(cluster for cluster in clusters if cluster.design)
    out = Path(synthesize(cluster, outdir=str(tmp_path / "out")))
    template = json.loads(next(out.glob("*.template.json")).read_text(encoding="utf-8"))
    declared = template["Metadata"]["ultracluster:waivers"]
    assert {"code": code, "reason": REASON} in declared
    assert declared == sorted(declared, key=lambda waiver: waiver["code"])


@pytest.mark.long
@pytest.mark.synth
def test_cdks_own_validation_goes_by_the_waivers_too(tmp_path: Path) -> None:
    profile = tmp_path / "paris.yaml"
    profile.write_text(PARIS, encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if key != "CDK_VALIDATION"}
    environment |= {"CDK_CONTEXT_JSON": json.dumps({"profile": str(profile)}), "CDK_OUTDIR": str(tmp_path)}
    command = [sys.executable, str(ROOT / "app.py")]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "waived error[ORC006]" in done.stderr
    report = json.loads((tmp_path / "validation-report.json").read_text(encoding="utf-8"))
    (plugin,) = report["pluginReports"]
    assert plugin["violations"] == []
    reasons = {found["reason"] for found in plugin["suppressedViolations"] if found["ruleName"] == "F3006"}
    assert reasons == {
        "ORC006 is waived: HyperPod came to Paris this month",
        "OBS001 is waived: Grafana came to Paris this month",
    }


@pytest.mark.parametrize("snapshot", sorted(SNAPSHOTS.glob("*.json")), ids=lambda file: file.stem)
def test_a_template_without_waivers_has_no_metadata_for_them(snapshot: Path) -> None:
    assert "ultracluster:waivers" not in snapshot.read_text(encoding="utf-8")
