"""The plan of a deployment, as text."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from config.design.report.deployment import DeploymentReport, DeploymentStep
from scripts.cli.plan.document import Fact, Writer
from scripts.cli.plan.sections.deployment import minutes, write_deployment


def shown(*arguments: str, columns: int = 80) -> str:
    """The part of `ultracluster plan` about the deployment."""
    done = subprocess.run(
        [sys.executable, "-m", "scripts.cli.main", "plan", *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": str(columns), "NO_COLOR": "1"},
    )
    text = done.stdout
    return text[text.index("\ndeployment\n") + 1 : text.index("\nprice\n")]


@pytest.mark.long
@pytest.mark.parametrize("columns", [60, 80])
def test_the_deployment_reads_well_in_a_narrow_terminal(columns: int) -> None:
    text = shown("p6-b200", columns=columns)
    assert [line for line in text.splitlines() if len(line) > columns] == []
    said = " ".join(text.split())
    for phrase in (
        "total 31 min for the first deployment, from published durations",
        "critical path VPC and subnet primary 27 s, then Lustre file system 10 min, "
        "then data repository association /checkpoints 3 min, then HyperPod cluster 18 min",
        "HyperPod cluster waits for data repository association /checkpoints: files that nodes write",
        "not included Grafana workspace, S3 gateway endpoint, NAT gateway: no duration is published",
    ):
        assert phrase in said


@pytest.mark.long
def test_things_alike_without_a_figure_are_counted() -> None:
    said = " ".join(shown("p6-b200", "--orchestrator", "pcs").split())
    assert "NAT gateway, PCS cluster, 2 PCS node groups, queue train" in said


def reported(report: DeploymentReport) -> str:
    out = Writer()
    write_deployment(out, report)
    (section,) = out.document("cluster", ()).sections
    return "; ".join(f"{part.name} {part.text}" for part in section.parts if isinstance(part, Fact))


def step(what: str, begin_s: float, end_s: float, *, published: bool = True) -> DeploymentStep:
    return DeploymentStep(
        resource=what, what=what, begin_s=begin_s, end_s=end_s, critical=True, published=published,
        waits_because=f"why {what}" if begin_s else "",
    )  # fmt: skip


def test_a_step_without_a_figure_is_on_the_path_too() -> None:
    steps = (step("vpc", 0, 17), step("system", 17, 617), step("group", 617, 617, published=False))
    said = reported(DeploymentReport(total_s=617, longest_s=600, steps=steps))
    assert "vpc 17 s, then system 10 min, then group (no published duration)" in said
    assert "group waits for system: why group" in said
    assert "not included group: no duration is published" in said


def test_where_nothing_has_a_figure_no_time_is_reported() -> None:
    said = reported(DeploymentReport(total_s=0, longest_s=0, steps=(step("grafana", 0, 0, published=False),)))
    assert "not included grafana: no duration is published" in said
    assert "total" not in said


@pytest.mark.parametrize(
    ("seconds", "reported"), [(3, "3 s"), (89, "89 s"), (90, "2 min"), (600, "10 min"), (1852, "31 min")]
)
def test_a_length_of_time_is_reported_in_its_unit(seconds: float, reported: str) -> None:
    assert minutes(seconds) == reported
