"""Lifecycle of the function that loads data sources and dashboards into Grafana."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scripts.cloud.local import LocalCloud
from tests.observability.grafana.caller import ask
from tests.observability.grafana.place import PROMETHEUS, REGION, UIDS, GrafanaPlace, content
from ultracluster.observability.grafana_function import handler as loader


@pytest.fixture
def place(local: LocalCloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GrafanaPlace:
    made = GrafanaPlace(local, tmp_path)
    monkeypatch.setattr(loader, "CONTENT", made.file)
    return made


def loaded(place: GrafanaPlace) -> str:
    """Load the content, and return the physical id."""
    answer = ask(place, "Create", place.properties)
    assert answer.failure is None
    return answer.physical_id


def test_data_sources_folder_and_dashboards_are_there(place: GrafanaPlace) -> None:
    assert loaded(place) == f"{place.workspace_id}/ultracluster"
    site = place.site
    assert sorted(site.dashboards) == sorted(UIDS)
    assert {one["folderUid"] for one in site.dashboards.values()} == {"ultracluster"}
    assert site.folders["ultracluster"]["title"] == "Cluster demo"
    assert sorted(site.sources) == ["alertmanager", "cloudwatch", "prometheus"]
    assert site.sources["prometheus"]["url"] == PROMETHEUS.rstrip("/")
    assert site.sources["prometheus"]["jsonData"]["sigV4Region"] == REGION
    assert site.sources["alertmanager"]["url"] == f"{PROMETHEUS}alertmanager"


def test_obs_09_alerting_and_plugins_are_switched_on_where_cloudformation_cannot(place: GrafanaPlace) -> None:
    loaded(place)
    response = place.grafana.describe_workspace_configuration(workspaceId=place.workspace_id)["configuration"]
    assert '"unifiedAlerting": {"enabled": true}' in response
    assert '"pluginAdminEnabled": true' in response


def test_a_configuration_that_is_right_is_not_written_again(
    place: GrafanaPlace, local: LocalCloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    physical_id = loaded(place)
    assert place.site.busy == 0

    def never(**_: Any) -> None:
        raise AssertionError("a change of the configuration restarts Grafana")

    monkeypatch.setattr(local.client("grafana", REGION), "update_workspace_configuration", never)
    changed = {**place.properties, "ContentHash": "2"}
    assert ask(place, "Update", changed, physical_id, place.properties).failure is None


def test_obs_11_no_account_and_no_token_outlives_the_function(place: GrafanaPlace) -> None:
    loaded(place)
    assert place.accounts() == []
    assert tokens(place) == {}


def test_obs_11_tokens_live_for_minutes(place: GrafanaPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    lives = list[int]()
    create = place.grafana.create_workspace_service_account_token

    class Grafana:
        def __getattr__(self, name: str) -> Any:
            return getattr(place.grafana, name)

        def create_workspace_service_account_token(self, **request: Any) -> Any:
            lives.append(request["secondsToLive"])
            return create(**request)

    import boto3

    monkeypatch.setattr(boto3, "client", lambda *_, **__: Grafana())
    loaded(place)
    assert lives == [900]


def test_every_repetition_is_stood_and_nothing_is_left(place: GrafanaPlace) -> None:
    changed = {**place.properties, "ContentHash": "2"}
    report = place.exercise(place.properties, changed)
    assert report.problems == []
    assert not report.replaced
    site = place.site
    assert (site.sources, site.folders, site.dashboards) == ({}, {}, {})
    assert place.accounts() == []


def test_a_dashboard_that_is_the_same_is_not_saved_again(place: GrafanaPlace) -> None:
    physical_id = loaded(place)
    place.site.requests.clear()
    ask(place, "Update", {**place.properties, "ContentHash": "2"}, physical_id, place.properties)
    assert [line for line in place.site.requests if not line.startswith("GET")] == []
    assert {one["dashboard"]["version"] for one in place.site.dashboards.values()} == {1}


def test_what_changes_nothing_in_grafana_asks_it_nothing(place: GrafanaPlace) -> None:
    physical_id = loaded(place)
    place.site.requests.clear()
    assert ask(place, "Update", place.properties, physical_id, place.properties).failure is None
    assert place.site.requests == []


def test_a_dashboard_that_changes_is_saved_and_one_that_goes_is_deleted(place: GrafanaPlace) -> None:
    physical_id = loaded(place)
    body = content()
    body["dashboards"] = [one for one in body["dashboards"] if not one["uid"].endswith("cost")]
    body["dashboards"][0]["title"] = "Renamed"
    body["data_sources"] = [one for one in body["data_sources"] if one["uid"] != "alertmanager"]
    body["folder"]["title"] = "Renamed"
    place.holds(body)
    ask(place, "Update", {**place.properties, "ContentHash": "2"}, physical_id, place.properties)
    site = place.site
    assert sorted(site.dashboards) == sorted(uid for uid in UIDS if not uid.endswith("cost"))
    first = site.dashboards[body["dashboards"][0]["uid"]]["dashboard"]
    assert (first["title"], first["version"]) == ("Renamed", 2)
    assert sorted(site.sources) == ["cloudwatch", "prometheus"]
    assert site.folders["ultracluster"]["title"] == "Renamed"


def test_what_others_made_stays(place: GrafanaPlace) -> None:
    physical_id = loaded(place)
    site = place.site
    copy = {**site.dashboards["ultracluster-gpu"]["dashboard"], "uid": "mine"}
    site.dashboards["mine"] = {"dashboard": copy, "folderUid": "ultracluster"}
    site.sources["loki"] = {"uid": "loki", "name": "logs", "type": "loki", "url": "https://logs"}
    ask(place, "Update", {**place.properties, "ContentHash": "2"}, physical_id, place.properties)
    ask(place, "Delete", place.properties, physical_id)
    assert (list(site.dashboards), list(site.sources)) == (["mine"], ["loki"])
    assert list(site.folders) == ["ultracluster"]


def test_a_data_source_of_somebody_else_is_never_written_over(place: GrafanaPlace) -> None:
    theirs = {"uid": "prometheus", "name": "theirs", "type": "prometheus", "url": "https://theirs"}
    place.site.sources["prometheus"] = theirs
    answer = ask(place, "Create", place.properties)
    assert "the data source prometheus (theirs) has another owner" in str(answer.failure)
    assert place.site.sources["prometheus"] is theirs
    assert place.accounts() == []


def test_a_workspace_that_is_gone_holds_no_stack_up(place: GrafanaPlace) -> None:
    physical_id = loaded(place)
    place.grafana.delete_workspace(workspaceId=place.workspace_id)
    assert ask(place, "Delete", place.properties, physical_id).failure is None


def test_another_workspace_is_another_resource(place: GrafanaPlace, local: LocalCloud) -> None:
    first = loaded(place)
    old, before = place.properties, place.site
    place.workspace_id = place.grafana.create_workspace(
        accountAccessType="CURRENT_ACCOUNT",
        authenticationProviders=["SAML"],
        permissionType="CUSTOMER_MANAGED",
        workspaceRoleArn=place.role_arn,
    )["workspace"]["id"]
    new = {**old, "WorkspaceId": place.workspace_id}
    second = ask(place, "Update", new, first, old).physical_id
    assert second != first
    assert sorted(place.site.dashboards) == sorted(UIDS)
    ask(place, "Delete", old, first)
    assert before.dashboards == {}


def test_a_grafana_that_restarts_is_waited_for(place: GrafanaPlace) -> None:
    place.site.busy = 20
    loaded(place)
    assert sorted(place.site.dashboards) == sorted(UIDS)


def test_a_grafana_that_does_not_respond_is_reported_in_time(place: GrafanaPlace) -> None:
    place.site.busy = 10_000
    answer = ask(place, "Create", place.properties)
    assert "still fails: GET /api/org: 503" in str(answer.failure)
    assert "deploy again later" in str(answer.failure)
    assert place.accounts() == []


def test_a_grafana_that_never_answers_holds_no_deletion_up(place: GrafanaPlace) -> None:
    physical_id = loaded(place)
    place.site.busy = 10_000
    assert ask(place, "Delete", place.properties, physical_id).failure is None
    assert place.accounts() == []


def tokens(place: GrafanaPlace) -> dict[str, Any]:
    from scripts.cloud.extensions.observability.grafana import GrafanaService

    return dict(GrafanaService.records(place.cloud.account, place.region, "tokens"))
