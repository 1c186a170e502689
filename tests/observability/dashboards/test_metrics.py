"""Dashboards use only metrics of the cluster, and leave out other panels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import promql_parser
import pytest

from config.catalog.observability.metrics import LABELS, metrics
from config.design.observability.alerts.plan import plan_alerts
from config.design.observability.dashboards import plan_dashboards
from config.design.observability.model import Measured
from config.design.observability.names import measured_metrics
from config.profile.observability.alerts import Alerts
from tests.observability.dashboards.clusters import CLUSTERS, LEAN, QUICK
from tests.observability.dashboards.reading import asked, panels

_OWNERS = {"hpc_job", "namespace", "pod"}
# labels for host names, which differ between exporters (OBS-03)
_HOSTS = {"Hostname", "hostname", "instance", "exported_instance", "host", "kubernetes_node"}


def _expressions(measured: Measured) -> Iterator[str]:
    for dashboard in plan_dashboards(measured):
        for panel in panels(dashboard):
            yield from (asked(t["expr"], measured) for t in panel.get("targets", ()) if "expr" in t)


def _selectors(node: Any) -> Iterator[Any]:
    """Return all selectors of a parsed query."""
    if isinstance(node, promql_parser.VectorSelector):
        yield node
    for name in ("expr", "lhs", "rhs", "vector_selector", "param"):
        child = getattr(node, name, None)
        if isinstance(child, promql_parser.Expr):
            yield from _selectors(child)
    for child in getattr(node, "args", ()) or ():
        yield from _selectors(child)


@pytest.mark.parametrize("measured", QUICK, ids=lambda measured: measured.cluster)
def test_every_metric_of_a_panel_is_measured(measured: Measured) -> None:
    known = {row.name for row in measured_metrics(measured)}
    known |= {f"{row.name}_bucket" for row in measured_metrics(measured) if row.type == "histogram"}
    named = {found.name for text in _expressions(measured) for found in _selectors(promql_parser.parse(text))}
    assert named
    assert named <= known


@pytest.mark.parametrize("measured", QUICK, ids=lambda measured: measured.cluster)
def test_every_matcher_of_a_panel_is_a_label_of_its_metric(measured: Measured) -> None:
    labels = dict[str, set[str]]()
    for row in measured_metrics(measured):
        own = {*row.labels, *LABELS[metrics().exporters[row.exporter].scope], "node"}
        owners = _OWNERS if row.exporter == "dcgm" else set()
        labels.setdefault(row.name, set()).update(own | owners)
        labels.setdefault(f"{row.name}_bucket", set()).update(own | {"le"})
    for text in _expressions(measured):
        for selector in _selectors(promql_parser.parse(text)):
            asked_for = {matcher.name for matcher in selector.matchers.matchers}
            assert asked_for <= labels[selector.name], text


@pytest.mark.parametrize("measured", QUICK, ids=lambda measured: measured.cluster)
def test_every_query_is_of_one_cluster(measured: Measured) -> None:
    for text in _expressions(measured):
        for selector in _selectors(promql_parser.parse(text)):
            assert f'cluster="{measured.cluster}"' in str(selector), text


def test_obs_03_hosts_are_named_by_the_one_label_node() -> None:
    for measured in QUICK:
        for dashboard in plan_dashboards(measured):
            for panel in panels(dashboard):
                shown = {*_legend_labels(panel), *_column_labels(panel)}
                assert not shown & _HOSTS, panel["title"]
        for text in _expressions(measured):
            assert not _HOSTS & set(re.findall(r"\w+", text)), text


def _legend_labels(panel: dict[str, Any]) -> set[str]:
    legends = " ".join(target.get("legendFormat", "") for target in panel.get("targets", ()))
    return {part.partition("}}")[0] for part in legends.split("{{")[1:]}


def _column_labels(panel: dict[str, Any]) -> set[str]:
    changes = panel.get("transformations", ())
    return {name for c in changes if c["id"] == "organize" for name in c["options"]["renameByName"]}


def test_panels_of_what_a_cluster_lacks_are_left_out() -> None:
    whole, lean = CLUSTERS[2], {measured.cluster: measured for measured in LEAN}
    everything = _titles(whole)
    assert "Tensor core activity, by node" in everything
    assert "Tensor core activity, by node" not in _titles(lean["no-profiling"])
    assert "Firing alerts" not in _titles(lean["no-lustre"])
    assert "Fullest targets" not in _titles(lean["no-lustre"])
    assert "Used space of targets" in _titles(lean["no-lustre"])
    assert "USD per hour" not in _titles(lean["no-price"])
    assert "Busy and idle GPUs" in _titles(lean["no-price"])
    assert "Nodes with missing EFA devices" not in _titles(lean["no-efa"])


def test_dashboards_without_panels_are_left_out() -> None:
    node_only = next(measured for measured in LEAN if measured.cluster == "node-only")
    boards = {dashboard.uid.removeprefix("ultracluster-") for dashboard in plan_dashboards(node_only)}
    assert "training" not in boards
    assert "scheduler" not in boards
    assert "node" in boards


def test_where_nothing_is_collected_cloudwatch_shows_storage_alone() -> None:
    nothing = replace(CLUSTERS[2], exporters=frozenset())
    (storage,) = plan_dashboards(nothing)
    assert storage.uid == "ultracluster-storage"
    assert {panel["datasource"]["type"] for panel in panels(storage)} == {"cloudwatch"}
    assert storage.body["templating"] == {"list": []}


def test_links_of_gpus_are_those_of_the_family() -> None:
    legends = {measured.gpu_nodes[0].architecture: _legends(measured) for measured in CLUSTERS[:4]}
    assert "{{node}} GPU {{gpu}} recovery failed" in legends["blackwell"]
    assert "{{node}} GPU {{gpu}} replay" not in legends["blackwell"]
    assert "{{node}} GPU {{gpu}} replay" in legends["hopper"]
    # an L4 has no NVLink at all
    assert not [legend for legend in legends["ada"] if "replay" in legend or "recovery" in legend]


def _titles(measured: Measured) -> set[str]:
    return {panel["title"] for dashboard in plan_dashboards(measured) for panel in panels(dashboard)}


def _legends(measured: Measured) -> set[str]:
    return {
        target["legendFormat"]
        for dashboard in plan_dashboards(measured)
        for panel in panels(dashboard)
        for target in panel.get("targets", ())
        if "legendFormat" in target
    }


@pytest.mark.parametrize("measured", CLUSTERS[::5], ids=lambda measured: measured.cluster)
def test_the_alerts_panel_uses_labels_of_our_rules(measured: Measured) -> None:
    panel = next(p for p in panels(plan_dashboards(measured)[0]) if p["title"].startswith("Firing alerts"))
    there = replace(measured, exporters=measured.exporters - {"rules"})
    alerts = plan_alerts(there, Alerts()).alerts
    used = {name for rule in alerts for name in (*rule.labels, *re.findall(r"\w+", rule.expression))}
    assert _column_labels(panel) - {"alertname", "Value"} <= used
    assert all({"severity", "action"} <= set(rule.labels) for rule in alerts)
    # an alert without the label `cluster` would not be in any dashboard
    assert all("cluster" in rule.expression or "ultracluster:" in rule.expression for rule in alerts)
