"""Tests of the alert manager definition with amtool, and of the limits of AMP."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.design.observability.alerts.alertmanager import AlertManager, plan_alert_manager
from config.design.observability.alerts.alertmanager_faults import definition_faults
from config.design.observability.alerts.messages import SUBJECT, SUBJECT_LENGTH
from config.profile.observability.alerts import Alerts, PagerDutyReceiver, SnsReceiver
from tests.programs import needed

TOPIC = "arn:aws:sns:us-west-2:123456789012:alerts"
SECRET = "arn:aws:secretsmanager:us-west-2:123456789012:secret:pagerduty-AbCdEf"
BOTH = Alerts(
    receivers=(SnsReceiver(kind="sns"), PagerDutyReceiver(kind="pagerduty", secret_arn=SECRET)),
    repeat_hours=120,
)


def planned(wanted: Alerts = BOTH, topics: tuple[str | None, ...] = (TOPIC, None)) -> AlertManager:
    plan = plan_alert_manager(wanted, region="us-west-2", topic_arns=topics)
    assert plan is not None
    return plan


def test_obs_10_alertmanager_itself_takes_what_amp_gets(tmp_path: Path) -> None:
    document = yaml.safe_load(planned().wrapped())
    assert list(document) == ["alertmanager_config"]
    assert yaml.safe_load(document["alertmanager_config"]) == planned().config
    file = tmp_path / "alertmanager.yml"
    file.write_text(planned().unwrapped())
    run = subprocess.run(
        [needed("amtool"), "check-config", str(file)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "3 receivers" in run.stdout


def test_amp_takes_the_definition() -> None:
    assert definition_faults(planned().wrapped()) == ()


def test_without_receivers_there_is_no_definition() -> None:
    assert plan_alert_manager(Alerts(receivers=()), region="us-west-2", topic_arns=()) is None


def test_each_receiver_gets_its_severities_and_info_has_no_receiver() -> None:
    route = planned().config["route"]
    assert [(one["receiver"], one["matchers"]) for one in route["routes"]] == [
        ("sns-1", ['severity=~"critical|warning"']),
        ("pagerduty-2", ['severity=~"critical"']),
    ]
    assert all(one["continue"] for one in route["routes"])
    assert (route["receiver"], route["repeat_interval"]) == ("nobody", "120h")


def test_a_topic_that_is_there_is_written_to_in_its_own_region() -> None:
    there = "arn:aws:sns:eu-west-1:123456789012:ops"
    plan = planned(Alerts(receivers=(SnsReceiver(kind="sns", topic_arn=there),)), (None,))
    (config,) = plan.config["receivers"][1]["sns_configs"]
    assert (config["topic_arn"], config["sigv4"]) == (there, {"region": "eu-west-1"})


def test_a_topic_that_only_the_deployment_knows_is_passed_on_as_it_is() -> None:
    token = "${Token[TOKEN.12]}"
    assert f"topic_arn: {token}\n" in planned(topics=(token, None)).wrapped().replace("'", "")


def _broken(change: str) -> str:
    config: dict[str, Any] = yaml.safe_load(planned().text())
    sns = config["receivers"][1]["sns_configs"][0]
    match change:
        case "api_url":
            sns["api_url"] = "https://sns.us-west-2.amazonaws.com"
        case "fifo":
            sns["topic_arn"] = TOPIC + ".fifo"
        case "region":
            del sns["sigv4"]
        case "repeat":
            config["route"]["routes"][0]["repeat_interval"] = "30d"
        case "slack":
            config["receivers"][0]["slack_configs"] = [{"api_url": "https://example.com", "channel": "#x"}]
        case "key":
            config["receivers"][2]["pagerduty_configs"][0]["routing_key"] = "0123456789abcdef"
        case "routes":
            config["route"]["routes"] *= 51
    return AlertManager(config=config).wrapped()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("api_url", "receiver sns-1: AMP rejects api_url"),
        ("fifo", "is a FIFO topic"),
        ("region", "sigv4.region is missing"),
        ("repeat", "changes repeat_interval 30d to five days"),
        ("slack", "AMP does not support slack_configs"),
        ("key", "routing_key must be a secret"),
        ("routes", "103 routes; AMP accepts 100"),
    ],
)
def test_what_alertmanager_takes_and_amp_does_not_is_found(change: str, message: str) -> None:
    (fault,) = definition_faults(_broken(change))
    assert message in fault


@pytest.mark.parametrize("change", ["api_url", "fifo", "repeat", "slack"])
def test_amtool_alone_would_have_let_it_through(change: str, tmp_path: Path) -> None:
    file = tmp_path / "alertmanager.yml"
    config = yaml.safe_load(yaml.safe_load(_broken(change))["alertmanager_config"])
    file.write_text(AlertManager(config=config).unwrapped())
    run = subprocess.run([needed("amtool"), "check-config", str(file)], capture_output=True, check=False)
    assert run.returncode == 0


@pytest.mark.parametrize("text", ["", "route: {receiver: x}\n", "alertmanager_config: {route: {}}\n"])
def test_obs_10_what_is_not_wrapped_is_no_definition(text: str) -> None:
    (fault,) = definition_faults(text)
    assert "alertmanager_config" in fault


def test_a_subject_is_short_and_has_the_place_in_it_however_many_alerts_there_are(tmp_path: Path) -> None:
    place = "training-with-a-long-name-0123: 8 GPUs are missing and much more is wrong"
    alert = {"status": "firing", "labels": {"severity": "critical"}, "annotations": {"summary": place}}
    data = {
        "status": "firing",
        "groupLabels": {"alertname": "GpuNvlinkRecoveryFailed0"},
        "commonLabels": {"severity": "critical"},
        "alerts": [alert] * 1000,
    }
    (tmp_path / "data.json").write_text(json.dumps(data))
    (tmp_path / "none.tmpl").write_text('{{ define "none" }}{{ end }}')
    run = subprocess.run(
        [
            needed("amtool"),
            "template",
            "render",
            f"--template.glob={tmp_path}/none.tmpl",
            f"--template.data={tmp_path}/data.json",
            f"--template.text={SUBJECT}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    subject = run.stdout.strip()
    assert "training-with-a-long-name-0123" in subject
    assert subject.endswith(" (+999 more)")
    assert len(subject) <= SUBJECT_LENGTH
    assert subject.isascii()
