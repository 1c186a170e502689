"""Lifecycle of a workspace that the function creates in another Region, with interruptions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from scripts.cloud.local import LocalCloud
from tests.observability.grafana.caller import ask
from tests.observability.grafana.place import WORKSPACE, GrafanaPlace
from ultracluster.observability.grafana_function import workspaces as loader_workspaces
from ultracluster.observability.grafana_function.accounts import Workspace

ELSEWHERE, THIRD = "eu-west-1", "eu-central-1"
SETTINGS: dict[str, Any] = {
    "workspaceName": "demo",
    "grafanaVersion": "10.4",
    "accountAccessType": "CURRENT_ACCOUNT",
    "authenticationProviders": ["SAML"],
    "permissionType": "CUSTOMER_MANAGED",
    "workspaceDataSources": ["CLOUDWATCH", "PROMETHEUS"],
    "pluginAdminEnabled": True,
}
SAML = {
    "assertionAttributes": {"role": "role"},
    "idpMetadata": {"url": "https://idp.example.com/metadata"},
    "roleValues": {"admin": ["admins"]},
}


@pytest.fixture
def place(local: LocalCloud, tmp_path: Path) -> GrafanaPlace:
    return GrafanaPlace(local, tmp_path)


def properties(place: GrafanaPlace, region: str = ELSEWHERE, **settings: Any) -> dict[str, Any]:
    return {
        "Region": region,
        "RoleArn": place.role_arn,
        "Settings": json.dumps({**SETTINGS, **settings}),
        "Tags": json.dumps({"team": "training"}),
    }


def there(place: GrafanaPlace, region: str = ELSEWHERE) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = place.cloud.client("grafana", region).list_workspaces()["workspaces"]
    return found


def made(place: GrafanaPlace, **settings: Any) -> str:
    answer = ask(place, "Create", properties(place, **settings), resource_type=WORKSPACE)
    assert answer.failure is None
    return answer.physical_id


def test_the_workspace_is_created_there_and_its_endpoint_is_returned(place: GrafanaPlace) -> None:
    answer = ask(place, "Create", properties(place, saml=SAML), resource_type=WORKSPACE)
    (workspace,) = there(place)
    assert answer.physical_id == f"{ELSEWHERE}/{workspace['id']}"
    assert answer.data == {"WorkspaceId": workspace["id"], "Endpoint": workspace["endpoint"]}
    assert workspace["name"] == "demo"
    assert workspace["tags"]["team"] == "training"
    workspace_state = place.cloud.client("grafana", ELSEWHERE).describe_workspace_authentication(
        workspaceId=workspace["id"]
    )
    assert workspace_state["authentication"]["saml"]["configuration"] == SAML


def test_every_repetition_is_stood_and_nothing_is_left(place: GrafanaPlace) -> None:
    changed = {**properties(place, workspaceName="renamed", saml=SAML), "Tags": '{"team": "other"}'}
    report = place.exercise(properties(place), changed, WORKSPACE)
    assert report.problems == []
    assert not report.replaced
    assert there(place) == []
    assert len(there(place, "us-east-1")) == 1


def test_another_region_is_another_workspace(place: GrafanaPlace) -> None:
    report = place.exercise(properties(place), properties(place, THIRD), WORKSPACE)
    assert report.problems == []
    assert report.replaced
    assert there(place) == there(place, THIRD) == []


def test_what_changes_is_changed_in_place(place: GrafanaPlace) -> None:
    before = properties(place)
    physical_id = made(place)
    access = {"prefixListIds": ["pl-0123456789abcdef0"], "vpceIds": []}
    after = properties(place, workspaceName="renamed", grafanaVersion="12.4", networkAccessControl=access)
    answer = ask(place, "Update", after, physical_id, before, resource_type=WORKSPACE)
    assert (answer.failure, answer.physical_id) == (None, physical_id)
    (workspace,) = there(place)
    assert (workspace["name"], workspace["grafanaVersion"]) == ("renamed", "12.4")
    client = place.cloud.client("grafana", ELSEWHERE)
    workspace_state = client.describe_workspace(workspaceId=workspace["id"])["workspace"]
    assert workspace_state["networkAccessControl"] == access
    ask(
        place,
        "Update",
        properties(place, workspaceName="renamed"),
        physical_id,
        after,
        resource_type=WORKSPACE,
    )
    workspace_state = client.describe_workspace(workspaceId=workspace["id"])["workspace"]
    assert "networkAccessControl" not in workspace_state
    # a version is never lowered, and a version that was raised elsewhere does not fail
    assert workspace_state["grafanaVersion"] == "12.4"


def test_a_creation_that_fails_half_way_is_taken_back(
    place: GrafanaPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Workspace.call

    def denied(self: Workspace, call: Callable[..., Any], **request: Any) -> Any:
        if call.__name__ == "update_workspace_authentication":
            raise ClientError({"Error": {"Code": "ValidationException", "Message": "no"}}, "Update")
        return real(self, call, **request)

    monkeypatch.setattr(Workspace, "call", denied)
    answer = ask(place, "Create", properties(place, saml=SAML), resource_type=WORKSPACE)
    assert answer.failure
    assert len(there(place)) == 1
    assert (
        ask(place, "Delete", properties(place), answer.physical_id, resource_type=WORKSPACE).failure is None
    )
    assert there(place) == []


def test_a_workspace_that_a_user_deleted_is_reported(place: GrafanaPlace) -> None:
    physical_id = made(place)
    place.cloud.client("grafana", ELSEWHERE).delete_workspace(workspaceId=physical_id.partition("/")[2])
    after = properties(place, workspaceName="renamed")
    answer = ask(place, "Update", after, physical_id, properties(place), resource_type=WORKSPACE)
    assert "no longer exists" in str(answer.failure)
    assert ask(place, "Delete", after, physical_id, resource_type=WORKSPACE).failure is None


def test_workspaces_of_others_are_never_taken_for_ours(place: GrafanaPlace) -> None:
    client = place.cloud.client("grafana", ELSEWHERE)
    theirs = client.create_workspace(
        accountAccessType="CURRENT_ACCOUNT",
        authenticationProviders=["SAML"],
        permissionType="CUSTOMER_MANAGED",
        workspaceName="demo",
        tags={loader_workspaces.OWNER: "another stack"},
    )["workspace"]["id"]
    physical_id = made(place)
    assert len(there(place)) == 2
    ask(place, "Delete", properties(place), physical_id, resource_type=WORKSPACE)
    assert [workspace["id"] for workspace in there(place)] == [theirs]


def test_a_role_that_has_yet_to_spread_is_waited_for(
    place: GrafanaPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, refusals = place.cloud.client("grafana", ELSEWHERE), iter(range(3))
    real = client.list_workspaces

    def list_workspaces(**request: Any) -> Any:
        if next(refusals, None) is not None:
            raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "no"}}, "ListWorkspaces")
        return real(**request)

    monkeypatch.setattr(client, "list_workspaces", list_workspaces)
    monkeypatch.setattr("boto3.client", lambda *_, **__: client)
    made(place)
    assert next(refusals, None) is None


def test_a_role_without_permission_is_reported(place: GrafanaPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    client = place.cloud.client("grafana", ELSEWHERE)

    def list_workspaces(**_: Any) -> Any:
        raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "no"}}, "ListWorkspaces")

    monkeypatch.setattr(client, "list_workspaces", list_workspaces)
    monkeypatch.setattr("boto3.client", lambda *_, **__: client)
    answer = ask(place, "Create", properties(place), resource_type=WORKSPACE)
    assert "AccessDeniedException" in str(answer.failure)
    assert answer.physical_id == "none"
    assert ask(place, "Delete", properties(place), "none", resource_type=WORKSPACE).failure is None
