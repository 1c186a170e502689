"""Each alert of each type of cluster fires and clears in the rule engine of Prometheus."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from config.design.observability.alerts import catalogue
from config.design.observability.alerts.plan import plan_alerts
from config.design.observability.alerts.text import rules_text
from config.profile.observability.alerts import Alerts
from tests.observability.alerts.cases import CASES
from tests.observability.alerts.promtool import cases_of, run_tests, write_tests
from tests.observability.clusters import CLUSTERS
from tests.programs import needed

clusters = pytest.mark.parametrize("name", CLUSTERS)


@clusters
def test_every_rule_has_a_case_that_makes_it_fire_and_clear(name: str) -> None:
    measured = CLUSTERS[name]
    rules = plan_alerts(measured, Alerts()).alerts
    assert [rule.name for rule in rules if not cases_of(rule, CASES, measured)] == []


def test_every_alert_of_the_catalogue_exists_in_one_of_the_clusters() -> None:
    planned = {rule.name for measured in CLUSTERS.values() for rule in plan_alerts(measured, Alerts()).alerts}
    assert {alert.name for alert in catalogue()} == planned


def test_every_case_is_of_an_alert_of_the_catalogue() -> None:
    assert {case.alert for case in CASES} == {alert.name for alert in catalogue()}


@pytest.mark.sample(1)
@clusters
def test_every_alert_fires_says_where_and_clears(name: str, tmp_path: Path) -> None:
    measured = CLUSTERS[name]
    run = run_tests(write_tests(tmp_path, plan_alerts(measured, Alerts()), CASES, measured))
    assert run.returncode == 0, run.stdout + run.stderr


@clusters
def test_promtool_finds_nothing_in_the_rules(name: str, tmp_path: Path) -> None:
    file = tmp_path / "rules.yml"
    file.write_text(rules_text(plan_alerts(CLUSTERS[name], Alerts()).groups))
    run = subprocess.run(
        [needed("promtool"), "check", "rules", "--lint=all", "--lint-fatal", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
