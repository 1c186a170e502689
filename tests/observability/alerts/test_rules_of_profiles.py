"""promtool accepts the rules of the built-in profiles."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from config.cluster import load_cluster
from config.design.observability.alerts.plan import plan_alerts
from config.design.observability.alerts.text import fits, rules_text
from config.profile.observability.alerts import Alerts
from tests.observability.measured_clusters import measured_in
from tests.programs import needed

PROFILES = (
    *(("p6-b200", plane) for plane in ("hyperpod-slurm", "pcs", "eks", "hyperpod-eks")),
    ("p5", "pcs"),
    ("p5en", "hyperpod-slurm"),
    ("p6-b300", "eks"),
    ("p6e-gb200", "hyperpod-slurm"),
)
# alerts that every cluster has
ALWAYS = {
    "NodeLost",
    "ExporterDown",
    "GpuMissing",
    "GpuXidReset",
    "GpuXidReplace",
    "GpuXidReboot",
    "GpuRowRemapFailure",
    "GpuEccDoubleBit",
    "LustreTargetFull",
    "LustreUnhealthy",
    "TrainingStalled",
    "TrainingOverTcp",
    "EfaRetransmits",
    "DiskFull",
}


@pytest.mark.sample(2)
@pytest.mark.parametrize(("profile", "plane"), PROFILES)
def test_promtool_takes_the_rules_of_a_built_in_profile(profile: str, plane: str, tmp_path: Path) -> None:
    design = load_cluster(profile, orchestrator=plane).design
    assert design is not None
    plan = plan_alerts(measured_in(design), Alerts())
    text = rules_text(plan.groups)
    assert fits(text)
    assert {rule.name for rule in plan.alerts} >= ALWAYS
    file = tmp_path / "rules.yml"
    file.write_text(text)
    run = subprocess.run(
        [str(needed("promtool")), "check", "rules", "--lint=all", "--lint-fatal", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
