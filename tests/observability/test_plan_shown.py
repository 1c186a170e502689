"""Metrics, alerts and dashboards in the output of `ultracluster plan`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.cli.main import main


def plan_of(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str) -> tuple[str, Any]:
    profile = tmp_path / "mine.yaml"
    profile.write_text(f"extends: p6-b200\nname: mine\n{text}")
    assert main(["plan", str(profile)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert main(["plan", str(profile), "--json"]) == 0
    return shown, json.loads(capsys.readouterr().out)["plan"]["observability"]


def test_the_plan_lists_prometheus_collector_and_receivers(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    receivers = "[{kind: sns, emails: [oncall@example.com]}]"
    shown, report = plan_of(capsys, tmp_path, f"observability: {{alerts: {{receivers: {receivers}}}}}\n")
    assert "stored in an Amazon Managed Service for Prometheus (AMP) workspace, for 150 days" in shown
    assert "collected by a Prometheus agent, every 30 s" in shown
    assert "notifications critical, warning: a new SNS topic with 1 email address" in shown
    assert report["exporters"] == ["application", "dcgm", "fsx", "node", "slurm-exporter"]
    assert report["alarms"] == ["AmpDiscardedSamples"]


def test_an_alert_that_is_left_out_has_its_reason(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shown, report = plan_of(capsys, tmp_path, "observability: {alerts: {off: [GpuMissing]}}\n")
    assert {"alert": "GpuMissing", "reason": "turned off in observability.alerts.off"} in report["left_out"]
    assert "GpuMissing turned off in observability.alerts.off" in shown


def test_the_estimate_grows_with_the_nodes_and_with_how_often_they_are_asked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    _, often = plan_of(capsys, tmp_path, "observability: {collection: {interval_s: 15}}\n")
    _, report = plan_of(capsys, tmp_path, "")
    assert often["series"] == report["series"]
    assert often["samples_a_day"] == 2 * report["samples_a_day"]
    # on 16 nodes, each of 8 GPUs has some dozens of series, and each of 192 CPUs has one for each mode
    assert report["series"] > 16 * (8 * 30 + 192 * 8)


def test_file_systems_that_no_node_asks_for_are_watched_by_cloudwatch(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    shown, report = plan_of(capsys, tmp_path, "observability: {collection: {collector: none}}\n")
    assert "collected by not collected by ultracluster alerts" in shown
    assert "LustreTargetFull-lustre" in report["alarms"]
    assert report["alerts"] == 0


def test_a_profile_without_metrics_has_no_such_part(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    shown, report = plan_of(capsys, tmp_path, "observability: null\n")
    assert report is None
    assert "collected by" not in shown


def test_the_plan_lists_no_agent_if_nodes_do_not_run_our_scripts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = "orchestrator: {kind: hyperpod-slurm, lifecycle: {kind: bootstrap}}\n"
    assert "collected by not collected by ultracluster alerts" in plan_of(capsys, tmp_path, text)[0]


def test_a_prometheus_of_ones_own_has_no_new_topic(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    own = "{kind: existing, remote_write_url: 'https://prometheus.example.com/api/v1/write'}"
    _, report = plan_of(capsys, tmp_path, f"observability: {{prometheus: {own}, grafana: null}}\n")
    assert report["receivers"] == [
        "critical, warning: no new topic, because your own Prometheus evaluates the rules"
    ]
    main(["metrics", str(tmp_path / "mine.yaml"), "--output", str(tmp_path / "files")])
    assert (
        "arn:aws:sns:us-west-2:replaceme:replaceme" in (tmp_path / "files" / "alertmanager.yaml").read_text()
    )
