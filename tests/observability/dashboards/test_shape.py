"""Layout, UIDs, variables and links of dashboards, and mistakes of published dashboards."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from config.design.observability.dashboards import Places, plan_dashboards
from config.design.observability.dashboards.places import LONGEST_UID
from config.design.observability.model import Dashboard, Measured
from tests.observability.dashboards.clusters import CLUSTERS, QUICK
from tests.observability.dashboards.reading import panels
from tests.tables import each_row

_BOARDS = ("gpu", "node", "efa", "storage", "scheduler", "training", "cost")
_CORE = {"timeseries", "stat", "table", "heatmap", "bargauge", "text", "row"}
every_dashboard = each_row(
    "dashboard",
    lambda: [dashboard for measured in QUICK for dashboard in plan_dashboards(measured)],
    lambda dashboard: dashboard.uid,
)


@each_row("measured", CLUSTERS, lambda measured: measured.cluster)
def test_a_cluster_has_seven_dashboards_with_uids_that_never_change(measured: Measured) -> None:
    dashboards = plan_dashboards(measured)
    assert [dashboard.uid for dashboard in dashboards] == [f"ultracluster-{board}" for board in _BOARDS]
    assert all(dashboard.body["uid"] == dashboard.uid for dashboard in dashboards)
    assert len({dashboard.title for dashboard in dashboards}) == len(_BOARDS)


@pytest.mark.parametrize("measured", CLUSTERS[:1], ids=lambda measured: measured.cluster)
def test_the_same_cluster_gives_the_same_bytes(measured: Measured) -> None:
    first, second = (json.dumps([d.body for d in plan_dashboards(measured)]) for _ in range(2))
    assert first == second


@every_dashboard
def test_panels_lie_side_by_side_and_never_over_each_other(dashboard: Dashboard) -> None:
    taken = Counter[tuple[int, int]]()
    for panel in dashboard.body["panels"]:
        place = panel["gridPos"]
        assert 0 <= place["x"] < place["x"] + place["w"] <= 24, panel["title"]
        taken.update(
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        )
    assert max(taken.values()) == 1
    # each line is filled completely
    assert len(taken) == 24 * (max(y for _, y in taken) + 1)


@every_dashboard
def test_every_row_has_panels(dashboard: Dashboard) -> None:
    kinds = [panel["type"] for panel in dashboard.body["panels"]]
    assert kinds[0] == "row"
    assert kinds[-1] != "row"
    assert ("row", "row") not in list(pairwise(kinds))


@every_dashboard
def test_panels_have_distinct_titles(dashboard: Dashboard) -> None:
    there = dashboard.body["panels"]
    assert len({panel["id"] for panel in there}) == len(there)
    titles = [panel["title"] for panel in panels(dashboard)]
    assert len(set(titles)) == len(titles)
    assert all(panel["description"] for panel in panels(dashboard))
    for panel in panels(dashboard):
        letters = [target["refId"] for target in panel.get("targets", ())]
        assert len(set(letters)) == len(letters)


@every_dashboard
def test_only_core_panels_are_used_and_none_of_angular(dashboard: Dashboard) -> None:
    # an Angular `graph` panel is empty from version 12 on
    assert {panel["type"] for panel in dashboard.body["panels"]} <= _CORE
    assert dashboard.body["schemaVersion"] == 39


@every_dashboard
def test_obs_13_nothing_waits_for_an_import(dashboard: Dashboard) -> None:
    text = json.dumps(dashboard.body)
    assert "__inputs" not in text
    assert "__requires" not in text
    assert "${DS_" not in text
    assert dict(dashboard.body).get("id") is None


@every_dashboard
def test_obs_13_every_data_source_is_one_of_the_fixed_uids(dashboard: Dashboard) -> None:
    found = list(_named(dashboard.body, "datasource"))
    assert found
    assert {source["uid"] for source in found} <= {"prometheus", "cloudwatch"}
    for panel in panels(dashboard):
        assert all(target["datasource"] == panel["datasource"] for target in panel.get("targets", ()))


@every_dashboard
def test_series_of_gpus_are_distinguished_by_node(dashboard: Dashboard) -> None:
    """Published dashboards show only the GPU number, so that sixteen nodes show `GPU 3` sixteen times."""
    if dashboard.uid.endswith("-node"):
        return
    for panel in panels(dashboard):
        for target in panel.get("targets", ()):
            legend = target.get("legendFormat", "")
            if "{{gpu}}" in legend or "{{device}}" in legend:
                assert "{{node}}" in legend, panel["title"]


@every_dashboard
def test_variables_are_asked_of_the_fixed_data_source_and_are_all_used(dashboard: Dashboard) -> None:
    variables = dashboard.body["templating"]["list"]
    assert variables[0]["name"] == "cluster"
    used = json.dumps([panel.get("targets") for panel in panels(dashboard)])
    for variable in variables:
        assert variable["type"] == "query"
        assert variable["datasource"]["uid"] == "prometheus"
        assert f"${variable['name']}" in used, variable["name"]
    names = {variable["name"] for variable in variables}
    assert not [n for n in ("node", "job", "run") if f'"${n}' in used.replace("\\", "") and n not in names]


@pytest.mark.parametrize("measured", QUICK, ids=lambda measured: measured.cluster)
def test_links_lead_to_dashboards_that_are_there(measured: Measured) -> None:
    dashboards = plan_dashboards(measured)
    uids = {dashboard.uid for dashboard in dashboards}
    for dashboard in dashboards:
        assert dashboard.body["links"][0]["tags"] == dashboard.body["tags"]
        for url in _named(dashboard.body["panels"], "url"):
            assert url.split("/d/")[1].split("?")[0] in uids, url


@pytest.mark.parametrize("measured", QUICK, ids=lambda measured: measured.cluster)
def test_columns_that_are_coloured_or_linked_are_there(measured: Measured) -> None:
    for dashboard in plan_dashboards(measured):
        for panel in panels(dashboard):
            if panel["type"] != "table":
                continue
            names = set(panel["transformations"][-1]["options"]["renameByName"].values())
            asked_for = {change["matcher"]["options"] for change in panel["fieldConfig"]["overrides"]}
            assert asked_for <= names, panel["title"]


def test_in_a_grafana_that_clusters_share_nothing_has_the_same_uid() -> None:
    names = ("alpha", "beta", "a-cluster-with-a-very-long-name-1", "a-cluster-with-a-very-long-name-2")
    uids = list[str]()
    for name in names:
        places = Places.shared(name)
        sources = places.sources
        uids += [places.uid(board) for board in _BOARDS]
        uids += [sources.prometheus, sources.cloudwatch, sources.alertmanager]
        planned = plan_dashboards(CLUSTERS[0], places)
        found = {source["uid"] for d in planned for source in _named(d.body, "datasource")}
        assert found <= {sources.prometheus, sources.cloudwatch}
    assert len(set(uids)) == len(uids)
    assert max(map(len, uids)) <= LONGEST_UID


def _named(found: Any, name: str) -> list[Any]:
    """Return all values of a key at any depth that are not empty."""
    if isinstance(found, dict):
        own = [found[name]] if found.get(name) else []
        return own + [value for part in found.values() for value in _named(part, name)]
    if isinstance(found, list | tuple):
        return [value for part in found for value in _named(part, name)]
    return []
