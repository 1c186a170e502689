"""The metrics and labels of all rules exist, and alerts without metrics are left out with a reason."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest
import yaml

from config.catalog.observability.metrics import LABELS, metrics
from config.design.observability.alerts import catalogue
from config.design.observability.alerts.messages import NAME_LENGTH
from config.design.observability.alerts.model import NODE, Alert
from config.design.observability.alerts.plan import RULES_IN_GROUP, plan_alerts
from config.design.observability.alerts.text import duration, fits, rules_text
from config.design.observability.model import Rule
from config.design.observability.names import measured_metrics
from config.profile.observability.alerts import Alerts
from tests.observability.alerts.promql import asked, grouped
from tests.observability.clusters import B200, CLUSTERS, H200
from tests.tables import each_row

clusters = pytest.mark.parametrize("name", CLUSTERS)
_OF_NODES = frozenset(NODE.split(", "))


def _known(name: str, recorded: Mapping[str, Rule]) -> dict[str, set[str]]:
    """Return the labels of each series of the cluster, by name."""
    exporters = metrics().exporters
    found: dict[str, set[str]] = {}
    for row in measured_metrics(CLUSTERS[name]):
        labels = {*row.labels, *LABELS[exporters[row.exporter].scope]}
        found.setdefault(row.name, set()).update(labels)
    return found | {series: {*_OF_NODES} for series in recorded}


@clusters
def test_every_series_of_a_rule_is_in_the_table_with_the_labels_that_it_is_asked_by(name: str) -> None:
    groups = plan_alerts(CLUSTERS[name], Alerts()).groups
    rules = [rule for group in groups for rule in group.rules]
    known = _known(name, {rule.name: rule for rule in rules if rule.kind == "record"})
    for rule in rules:
        for series in asked(rule.expression):
            assert series.name in known, f"{rule.name} asks for {series.name}, which nothing shows"
            assert series.matched <= known[series.name], (rule.name, series)
        for labels, inside in grouped(rule.expression):
            missing = labels - set().union(*(known[series] for series in inside))
            # metrics of Slurm itself have no partitions, metrics of its exporter do
            assert missing <= {"partition"}, (rule.name, missing)


@clusters
def test_the_rules_are_one_file_of_one_key_that_amp_takes(name: str) -> None:
    plan = plan_alerts(CLUSTERS[name], Alerts())
    text = rules_text(plan.groups)
    assert text == rules_text(plan_alerts(CLUSTERS[name], Alerts()).groups)
    assert len(re.findall(r"^groups:", text, re.MULTILINE)) == 1
    assert list(yaml.safe_load(text)) == ["groups"]
    assert fits(text)
    assert len(text.encode()) < 100_000
    assert max(len(group.rules) for group in plan.groups) <= RULES_IN_GROUP
    assert len({group.name for group in plan.groups}) == len(plan.groups)


def test_the_first_group_records_what_the_others_ask_for() -> None:
    for measured in CLUSTERS.values():
        first, *others = plan_alerts(measured, Alerts()).groups
        assert {rule.kind for rule in first.rules} == {"record"}
        assert {rule.kind for group in others for rule in group.rules} == {"alert"}


@each_row("alert", catalogue())
def test_an_alert_says_what_it_means_and_what_to_do_and_fits_into_a_subject(alert: Alert) -> None:
    assert len(alert.name) <= NAME_LENGTH
    assert re.fullmatch(r"[A-Z][A-Za-z0-9]*", alert.name)
    assert alert.meaning.endswith(".")
    assert alert.remedy.endswith(".")
    assert alert.checks
    text = alert.summary + alert.meaning + alert.remedy
    assert text.isascii()
    # the place comes first, so that it is in the part of a subject that is not truncated
    assert re.match(r"(run |)\{\{ \$labels\.[A-Za-z_]+ \}\}", alert.summary)
    assert ("$threshold" in "".join(one.text for one in alert.expressions)) == (alert.threshold is not None)


def test_no_two_alerts_have_one_name() -> None:
    names = [alert.name for alert in catalogue()]
    assert len(set(names)) == len(names)


def _why(alert: str, name: str, wanted: Alerts | None = None) -> str:
    plan = plan_alerts(CLUSTERS[name], wanted or Alerts())
    (reason,) = [out.reason for out in plan.left_out if out.name == alert]
    return reason


@pytest.mark.parametrize(
    ("alert", "name", "phrase"),
    [
        ("GpuNvlinkErrors", "pcs on p6-b200", "(a metric of ampere and hopper GPUs)"),
        ("GpuNvlinkRecoveryFailed", "hyperpod-slurm on p5en", "(a metric of blackwell GPUs)"),
        ("KueueJobsWait", "pcs on p6-b200", "only for eks, hyperpod-eks"),
        ("SlurmNodesDown", "eks on p6-b200", "only for hyperpod-slurm, pcs"),
        ("SlurmSilent", "eks on p6-b200", "only for hyperpod-slurm, pcs"),
        (
            "IdleGpus",
            "hyperpod-slurm on p5en",
            "the cluster does not record ultracluster:idle_dollars_per_hour",
        ),
        ("IdleGpusUnpriced", "pcs on p6-b200", "the cluster has no node that this alert applies to"),
    ],
)
def test_an_alert_that_a_cluster_cannot_have_is_left_out_with_its_reason(
    alert: str, name: str, phrase: str
) -> None:
    assert phrase in _why(alert, name)


@clusters
def test_every_alert_is_either_planned_or_left_out(name: str) -> None:
    plan = plan_alerts(CLUSTERS[name], Alerts())
    planned = {rule.name for rule in plan.alerts}
    out = [left.name for left in plan.left_out]
    assert planned | set(out) == {alert.name for alert in catalogue()}
    assert not planned & set(out)
    assert len(set(out)) == len(out)


def test_a_profile_turns_an_alert_off_and_sets_another_threshold() -> None:
    wanted = Alerts(off=("DiskFull",), thresholds={"LustreTargetFull": 70.5})
    plan = plan_alerts(CLUSTERS["pcs on p6-b200"], wanted)
    assert "DiskFull" not in {rule.name for rule in plan.alerts}
    assert "turned off" in _why("DiskFull", "pcs on p6-b200", wanted)
    (rule,) = [rule for rule in plan.alerts if rule.name == "LustreTargetFull"]
    assert rule.expression.endswith("> 70.5")


def test_each_alert_links_to_its_runbook() -> None:
    runbooks = {
        rule.annotations["runbook"]
        for where in (None, "https://wiki.example.com/gpus/alerts")
        for rule in plan_alerts(CLUSTERS["pcs on p6-b200"], Alerts(runbook_url=where)).alerts
        if rule.name == "GpuMissing"
    }
    assert runbooks == {"docs/alerts.md#gpumissing", "https://wiki.example.com/gpus/alerts#gpumissing"}


@pytest.mark.parametrize(
    ("interval", "limit"), [(None, "7200"), (1800, "5400"), (60, "600"), (1234.56, "3703.68")]
)
def test_a_checkpoint_is_old_by_the_workloads_own_interval(interval: float | None, limit: str) -> None:
    measured = replace(CLUSTERS["pcs on p6-b200"], checkpoint_interval_s=interval)
    (rule,) = [rule for rule in plan_alerts(measured, Alerts()).alerts if rule.name == "CheckpointOld"]
    assert f"> {limit} or" in rule.expression
    assert rule.expression.endswith(f"offset {round(float(limit))}s == 0) + {limit}")


@pytest.mark.parametrize(("figure", "window"), [(-5, "1s"), (0, "1s"), (1e300, "2678400s"), (90.4, "90s")])
def test_no_figure_makes_a_length_of_time_that_amp_refuses(figure: float, window: str) -> None:
    plan = plan_alerts(CLUSTERS["pcs on p6-b200"], Alerts(thresholds={"CheckpointOld": figure}))
    (rule,) = [rule for rule in plan.alerts if rule.name == "CheckpointOld"]
    assert f"offset {window} == 0" in rule.expression


def test_nodes_of_a_group_that_follows_its_jobs_are_not_lost_when_they_go() -> None:
    measured = replace(CLUSTERS["pcs on p6-b200"], elastic=("burst", "train"), steady=False)
    alerts = plan_alerts(measured, Alerts()).alerts
    (lost,) = [rule for rule in alerts if rule.name == "NodeLost"]
    assert 'group!~"burst|train"' in lost.expression
    absent = [rule.labels["metric"] for rule in alerts if rule.name == "MetricsAbsent"]
    assert absent == ["fsx", "slurm"]


def test_a_cluster_of_several_types_expects_of_each_what_it_has() -> None:
    measured = replace(CLUSTERS["pcs on p6-b200"], gpu_nodes=(B200, H200))
    recorded = plan_alerts(measured, Alerts()).groups[0].rules
    expected = [rule.expression for rule in recorded if rule.name == "ultracluster:expected_efa_devices"]
    assert [text.split(" * ")[0] for text in expected] == ["8", "16"]
    assert [B200.instance_type in expected[0], H200.instance_type in expected[1]] == [True, True]


def test_without_exporters_of_gpus_no_alert_of_them_pretends_to_watch() -> None:
    measured = replace(CLUSTERS["pcs on p6-b200"], exporters=frozenset({"node", "agent"}))
    planned = {rule.name for rule in plan_alerts(measured, Alerts()).alerts}
    assert not {"GpuEccDoubleBit", "GpuThrottled", "GpuFabricUnhealthy"} & planned
    # the node check counts them
    (alone,) = [rule for rule in plan_alerts(measured, Alerts()).alerts if rule.name == "GpuMissing"]
    (both,) = [
        rule for rule in plan_alerts(CLUSTERS["pcs on p6-b200"], Alerts()).alerts if rule.name == "GpuMissing"
    ]
    assert alone.expression in both.expression


@pytest.mark.parametrize(
    ("seconds", "text"), [(300, "5m"), (3600, "1h"), (90, "90s"), (0, "0s"), (5400, "90m")]
)
def test_durations_are_in_the_largest_whole_unit(seconds: int, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize("name", sorted(CLUSTERS))
def test_a_pyyaml_without_its_c_part_writes_the_same_rules(name: str) -> None:
    groups = plan_alerts(CLUSTERS[name], Alerts()).groups
    assert rules_text(groups, yaml.SafeDumper) == rules_text(groups)
