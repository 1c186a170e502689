"""Each panel of each dashboard returns data from Prometheus."""

from __future__ import annotations

from math import isnan
from typing import Any

import pytest

from config.design.observability.dashboards import plan_dashboards
from config.design.observability.model import Measured
from tests.observability.dashboards.clusters import OTHERS, QUICK
from tests.observability.dashboards.prometheus import Prometheus
from tests.observability.dashboards.reading import asked, panels
from tests.observability.dashboards.synthetic import END_S, LENGTH_S, STEP_S


def _name(measured: Measured) -> str:
    return measured.cluster


def empty_panels(prometheus: Prometheus, measured: Measured) -> list[str]:
    return [
        f"{dashboard.uid}: {panel['title']}: {target['expr']}"
        for dashboard in plan_dashboards(measured)
        for panel in panels(dashboard)
        for target in panel.get("targets", ())
        if "expr" in target and not _values(prometheus, target, measured)
    ]


@pytest.mark.sample(1)
@pytest.mark.parametrize("measured", QUICK, ids=_name)
def test_no_panel_is_empty(prometheus: Prometheus, measured: Measured) -> None:
    assert empty_panels(prometheus, measured) == []


@pytest.mark.long
@pytest.mark.parametrize("measured", OTHERS, ids=_name)
def test_no_panel_is_empty_in_any_other_pair_of_control_plane_and_family(
    prometheus: Prometheus, measured: Measured
) -> None:
    assert empty_panels(prometheus, measured) == []


@pytest.mark.parametrize("measured", QUICK, ids=_name)
def test_critical_alerts_are_marked_on_graphs(prometheus: Prometheus, measured: Measured) -> None:
    for dashboard in plan_dashboards(measured):
        marks = dashboard.body["annotations"]["list"]
        assert len(marks) == ("rules" in measured.exporters)
        for mark in marks:
            assert prometheus.at(asked(mark["expr"], measured), END_S)


def _values(prometheus: Prometheus, target: dict[str, Any], measured: Measured) -> list[float]:
    query = asked(target["expr"], measured)
    if target["instant"]:
        found = [series["value"][1] for series in prometheus.at(query, END_S)]
    else:
        series = prometheus.over(query, END_S - LENGTH_S // 2, END_S, STEP_S)
        found = [value for one in series for _, value in one["values"]]
    return [float(value) for value in found if not isnan(float(value))]
