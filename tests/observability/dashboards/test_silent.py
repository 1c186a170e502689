"""Results of the panels about missing metrics, in the rule engine of Prometheus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from config.design.observability.dashboards import plan_dashboards
from config.design.observability.model import Measured
from tests.observability.alerts.promtool import run_tests
from tests.observability.dashboards.clusters import CLUSTERS
from tests.observability.dashboards.reading import asked, panels

SLURM = next(measured for measured in CLUSTERS if measured.control_plane == "pcs")
KUBERNETES = next(measured for measured in CLUSTERS if measured.control_plane == "eks")
NOTHING = {"gpu": "Nodes that do not respond", "node": "Exporters that do not respond"}


def shows(measured: Measured, board: str, title: str, series: Mapping[str, str], folder: Path) -> str:
    """Return the output of promtool for a panel that shows one node or exporter; empty on success."""
    (panel,) = [
        panel
        for dashboard in plan_dashboards(measured)
        if dashboard.uid.endswith(f"-{board}")
        for panel in panels(dashboard)
        if panel["title"] == title
    ]
    expression = asked(panel["targets"][0]["expr"], measured)
    test = {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [{"expr": expression, "eval_time": "40m", "exp_samples": [{"value": 1}]}],
    }
    file = folder / "test.yml"
    file.write_text(yaml.safe_dump({"evaluation_interval": "1m", "tests": [test]}))
    run = run_tests([file])
    return run.stdout + run.stderr if run.returncode else ""


def up(measured: Measured, node: str, job: str = "node", group: str = "train") -> str:
    return f'up{{cluster="{measured.cluster}", node="{node}", job="{job}", group="{group}"}}'


def test_a_node_that_sends_nothing_any_more_is_counted(tmp_path: Path) -> None:
    series = {up(SLURM, "n1"): "1x10 stale", up(SLURM, "n2"): "1x60"}
    assert shows(SLURM, "gpu", NOTHING["gpu"], series, tmp_path) == ""


def test_a_node_whose_exporter_is_down_is_counted_once(tmp_path: Path) -> None:
    for measured in (SLURM, KUBERNETES):
        series = {up(measured, "n1"): "1x10 0x60", up(measured, "n2"): "1x60"}
        assert shows(measured, "gpu", NOTHING["gpu"], series, tmp_path) == ""


def test_a_node_that_went_with_its_jobs_is_not_counted(tmp_path: Path) -> None:
    measured = replace(SLURM, elastic=("debug",))
    series = {up(SLURM, "n1"): "1x10 stale", up(SLURM, "n2", group="debug"): "1x10 stale"}
    assert shows(measured, "gpu", NOTHING["gpu"], series, tmp_path) == ""


@pytest.mark.parametrize("measured", [SLURM, KUBERNETES], ids=lambda measured: measured.control_plane)
def test_a_program_of_a_user_that_does_not_run_is_no_exporter_that_is_down(
    measured: Measured, tmp_path: Path
) -> None:
    node = f"{measured.gpu_nodes[0].instance_type}-0"
    series = {up(measured, node, "application"): "0x60", up(measured, node, "dcgm"): "0x60"}
    assert shows(measured, "node", NOTHING["node"], series, tmp_path) == ""
