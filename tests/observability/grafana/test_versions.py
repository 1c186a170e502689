"""Data sources for each version of Grafana."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from config.design.observability.grafana import AMAZON_PROMETHEUS, RELEASES, release_of
from scripts.cloud.local import LocalCloud
from tests.observability.grafana.caller import ask
from tests.observability.grafana.place import REGION, UIDS, GrafanaPlace, content
from ultracluster.observability.grafana_function import handler as loader


def placed(local: LocalCloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> GrafanaPlace:
    made = GrafanaPlace(local, tmp_path, version)
    monkeypatch.setattr(loader, "CONTENT", made.file)
    return made


@pytest.mark.parametrize(
    ("version", "kind", "plugins"),
    [
        ("10.4", "prometheus", set()),
        ("12.4", AMAZON_PROMETHEUS, {AMAZON_PROMETHEUS}),
        ("13.0", AMAZON_PROMETHEUS, {AMAZON_PROMETHEUS}),
    ],
)
def test_obs_12_the_data_source_is_the_one_that_signs_in_this_version(
    local: LocalCloud,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    version: str,
    kind: str,
    plugins: set[str],
) -> None:
    place = placed(local, tmp_path, monkeypatch, version)
    assert ask(place, "Create", place.properties).failure is None
    assert place.site.sources["prometheus"]["type"] == kind
    assert place.site.plugins == plugins
    panel = place.site.dashboards["ultracluster-gpu"]["dashboard"]["panels"][1]
    assert panel["datasource"] == {"type": kind, "uid": "prometheus"}


def test_obs_12_the_core_data_source_would_not_be_taken_from_version_12_on(
    local: LocalCloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = placed(local, tmp_path, monkeypatch, "12.4")
    place.holds(content({"kind": "managed", "version": "10.4"}))
    assert "does not sign requests" in str(ask(place, "Create", place.properties).failure)


def test_obs_22_a_plugin_is_installed_once_plugins_may_be(
    local: LocalCloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = placed(local, tmp_path, monkeypatch, "12.4")
    assert place.site.plugin_admin is False
    ask(place, "Create", place.properties)
    assert place.site.plugin_admin is True
    asked = place.site.requests.count(f"POST /api/plugins/{AMAZON_PROMETHEUS}/install")
    ask(place, "Create", place.properties)
    assert asked == place.site.requests.count(f"POST /api/plugins/{AMAZON_PROMETHEUS}/install") == 1


def test_an_upgrade_changes_the_data_source_and_keeps_its_uid(
    local: LocalCloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = placed(local, tmp_path, monkeypatch, "10.4")
    physical_id = ask(place, "Create", place.properties).physical_id
    place.grafana.update_workspace_configuration(
        workspaceId=place.workspace_id, configuration="{}", grafanaVersion="12.4"
    )
    place.holds(content({"kind": "managed", "version": "12.4"}))
    changed: dict[str, Any] = {**place.properties, "ContentHash": "2"}
    answer = ask(place, "Update", changed, physical_id, place.properties)
    assert (answer.failure, answer.physical_id) == (None, physical_id)
    assert place.site.sources["prometheus"]["type"] == AMAZON_PROMETHEUS
    assert sorted(place.site.dashboards) == sorted(UIDS)


def test_releases_are_in_order_and_sourced() -> None:
    assert [release.since for release in RELEASES] == ["10.4", "12.0", "13.0"]
    assert all(release.sources for release in RELEASES)
    assert [release_of(version).since for version in ("9.4", "10.4", "11.5", "12.4", "13.1")] == [
        "10.4",
        "10.4",
        "10.4",
        "12.0",
        "13.0",
    ]
    # features that a version removed do not return
    assert [release.api_keys for release in RELEASES] == [True, False, False]


def test_prometheus_with_a_password_and_without_amp(
    local: LocalCloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = placed(local, tmp_path, monkeypatch, "10.4")
    secret = local.client("secretsmanager", REGION).create_secret(
        Name="prometheus", SecretString='{"username": "reader", "password": "s3cret"}'
    )["ARN"]
    prometheus = {
        "kind": "existing",
        "remote_write_url": "https://metrics.example.com/api/v1/write",
        "query_url": "https://metrics.example.com",
        "authentication": {"kind": "secret", "secret_arn": secret},
    }
    place.holds(content(prometheus=prometheus))
    properties = {
        **place.properties,
        "PrometheusUrl": "https://metrics.example.com",
        "PrometheusSecretArn": secret,
    }
    assert ask(place, "Create", properties).failure is None
    source = place.site.sources["prometheus"]
    assert (source["basicAuth"], source["basicAuthUser"]) == (True, "reader")
    assert source["secureJsonData"] == {"basicAuthPassword": "s3cret"}
    assert "sigV4Auth" not in source["jsonData"]
    assert sorted(place.site.sources) == ["cloudwatch", "prometheus"]
