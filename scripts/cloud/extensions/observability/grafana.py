"""Emulated Amazon Managed Grafana: workspaces, their authentication, and service accounts.

The emulated account has IAM Identity Center, so that profiles with `identity-center` deploy.
"""

from __future__ import annotations

import json
import time
from typing import Any

from moto.core.responses import ActionResult, EmptyResult

from scripts.cloud.extensions.records import Record, RefusedError, now
from scripts.cloud.extensions.services import Service

# AWS uses its newest version by default; here the default is the version that this project pins
DEFAULT_VERSION = "10.4"
# thirty days: https://docs.aws.amazon.com/grafana/latest/userguide/v10-service-accounts.html
_LONGEST_LIFE_S = 2_592_000
# request parameter, and its name in the description of a workspace
_RENAMED = {
    "workspaceDataSources": "dataSources",
    "workspaceDescription": "description",
    "workspaceName": "name",
    "workspaceNotificationDestinations": "notificationDestinations",
    "workspaceOrganizationalUnits": "organizationalUnits",
}
_SAME = (
    "accountAccessType",
    "ipAddressType",
    "kmsKeyId",
    "networkAccessControl",
    "organizationRoleName",
    "permissionType",
    "stackSetName",
    "vpcConfiguration",
    "workspaceRoleArn",
)


class GrafanaService(Service):
    """Operations of Amazon Managed Grafana."""

    name = host = "grafana"

    def create_workspace(self) -> ActionResult:
        """CreateWorkspace."""
        request = self._get_params()
        self._check(request)
        workspace_id = f"g-{self.next_id('workspace')}"
        providers = request["authenticationProviders"]
        workspace: Record = {
            **_described(request),
            "id": workspace_id,
            "endpoint": f"{workspace_id}.grafana-workspace.{self.region}.amazonaws.com",
            "status": "ACTIVE",
            "created": now(),
            "modified": now(),
            "grafanaVersion": request.get("grafanaVersion") or DEFAULT_VERSION,
            "authentication": {"providers": providers, **_saml_status(providers, configured=False)},
        }
        self.table("workspaces")[workspace_id] = workspace
        self.table("configurations")[workspace_id] = {"configuration": request.get("configuration") or "{}"}
        self.keep_tags(self._workspace_arn(workspace_id), request.get("tags"))
        return ActionResult({"workspace": workspace})

    def describe_workspace(self) -> ActionResult:
        """DescribeWorkspace."""
        workspace = self._workspace()
        tags = self.table("tags")[self._workspace_arn(workspace["id"])]
        return ActionResult({"workspace": workspace | {"tags": tags}})

    def list_workspaces(self) -> ActionResult:
        """ListWorkspaces."""
        summaries = [
            workspace | {"tags": self.table("tags")[self._workspace_arn(workspace["id"])]}
            for workspace in self.table("workspaces").values()
        ]
        return ActionResult({"workspaces": summaries})

    def update_workspace(self) -> ActionResult:
        """UpdateWorkspace."""
        workspace, request = self._workspace(), self._get_params()
        self._check(request)
        workspace.update(_described(request), modified=now())
        if request.get("removeVpcConfiguration"):
            workspace.pop("vpcConfiguration", None)
        if request.get("removeNetworkAccessConfiguration"):
            workspace.pop("networkAccessControl", None)
        return ActionResult({"workspace": workspace})

    def delete_workspace(self) -> ActionResult:
        """DeleteWorkspace, with its service accounts."""
        workspace = self._workspace()
        for kind in ("workspaces", "configurations", "saml", "sites"):
            self.table(kind).pop(workspace["id"], None)
        for kind in ("accounts", "tokens"):
            for key, record in list(self.table(kind).items()):
                if record["workspaceId"] == workspace["id"]:
                    del self.table(kind)[key]
        self.forget_tags(self._workspace_arn(workspace["id"]))
        return ActionResult({"workspace": workspace | {"status": "DELETING"}})

    def describe_workspace_authentication(self) -> ActionResult:
        """DescribeWorkspaceAuthentication."""
        return ActionResult({"authentication": self._authentication()})

    def update_workspace_authentication(self) -> ActionResult:
        """UpdateWorkspaceAuthentication."""
        workspace, request = self._workspace(), self._get_params()
        if "samlConfiguration" in request:
            self.table("saml")[workspace["id"]] = request["samlConfiguration"]
        providers, configured = request["authenticationProviders"], workspace["id"] in self.table("saml")
        status = _saml_status(providers, configured=configured)
        workspace.update(authentication={"providers": providers, **status}, modified=now())
        return ActionResult({"authentication": self._authentication()})

    def describe_workspace_configuration(self) -> ActionResult:
        """DescribeWorkspaceConfiguration."""
        workspace = self._workspace()
        configuration = self.table("configurations")[workspace["id"]]["configuration"]
        return ActionResult({"configuration": configuration, "grafanaVersion": workspace["grafanaVersion"]})

    def update_workspace_configuration(self) -> EmptyResult:
        """UpdateWorkspaceConfiguration, which cannot lower the version."""
        workspace, request = self._workspace(), self._get_params()
        version = request.get("grafanaVersion") or workspace["grafanaVersion"]
        if _numbers(version) < _numbers(workspace["grafanaVersion"]):
            message = f"the version cannot be lowered from {workspace['grafanaVersion']} to {version}"
            raise RefusedError(self.invalid, message)
        workspace["grafanaVersion"] = version
        configuration = _configuration(request["configuration"])
        # "may restart": Grafana does not respond for a short time
        # (https://docs.aws.amazon.com/grafana/latest/userguide/AMG-configure-workspace.html)
        kept = {"configuration": configuration, "restarts": 2}
        self.table("configurations")[workspace["id"]] = kept
        return EmptyResult()

    def create_workspace_service_account(self) -> ActionResult:
        """CreateWorkspaceServiceAccount."""
        workspace, request = self._workspace(), self._get_params()
        accounts = [a for a in self.table("accounts").values() if a["workspaceId"] == workspace["id"]]
        if any(account["name"] == request["name"] for account in accounts):
            raise RefusedError("ConflictException", f"{request['name']} already exists")
        if request["grafanaRole"] not in ("ADMIN", "EDITOR", "VIEWER"):
            raise RefusedError(self.invalid, f"{request['grafanaRole']} is not a role of a service account")
        account = {key: request[key] for key in ("name", "grafanaRole")}
        account |= {"id": self.next_number("account"), "workspaceId": workspace["id"]}
        self.table("accounts")[f"{workspace['id']}/{account['id']}"] = account
        return ActionResult(account)

    def list_workspace_service_accounts(self) -> ActionResult:
        """ListWorkspaceServiceAccounts."""
        workspace_id = self._workspace()["id"]
        found = [a | {"isDisabled": "false"} for a in self.table("accounts").values()]
        mine = [account for account in found if account["workspaceId"] == workspace_id]
        return ActionResult({"serviceAccounts": mine, "workspaceId": workspace_id})

    def delete_workspace_service_account(self) -> ActionResult:
        """DeleteWorkspaceServiceAccount, with its tokens."""
        account = self._account()
        path = f"{account['workspaceId']}/{account['id']}"
        del self.table("accounts")[path]
        for key in [key for key in self.table("tokens") if key.startswith(f"{path}/")]:
            del self.table("tokens")[key]
        return ActionResult({"serviceAccountId": account["id"], "workspaceId": account["workspaceId"]})

    def create_workspace_service_account_token(self) -> ActionResult:
        """CreateWorkspaceServiceAccountToken."""
        account, name = self._account(), self._get_param("name")
        life_s = int(self._get_param("secondsToLive"))
        if not 1 <= life_s <= _LONGEST_LIFE_S:
            raise RefusedError(self.invalid, f"secondsToLive {life_s} is not between 1 and {_LONGEST_LIFE_S}")
        token_id, secret = self.next_number("token"), f"glsa_{self.next_id('token', 32)}"
        token = {"id": token_id, "name": name, "workspaceId": account["workspaceId"]}
        token |= {"key": secret, "expires": time.time() + life_s}
        self.table("tokens")[f"{account['workspaceId']}/{account['id']}/{token_id}"] = token
        created = {"id": token_id, "name": name, "key": secret}
        names = {"serviceAccountId": account["id"], "workspaceId": account["workspaceId"]}
        return ActionResult(names | {"serviceAccountToken": created})

    def delete_workspace_service_account_token(self) -> ActionResult:
        """DeleteWorkspaceServiceAccountToken."""
        account, token_id = self._account(), self._get_param("tokenId")
        names = {"serviceAccountId": account["id"], "workspaceId": account["workspaceId"]}
        if self.table("tokens").pop(f"{account['workspaceId']}/{account['id']}/{token_id}", None) is None:
            raise self.missing(f"token {token_id}")
        return ActionResult(names | {"tokenId": token_id})

    def _check(self, request: Record) -> None:
        self.require_role(request.get("workspaceRoleArn"))
        self.require_key(request.get("kmsKeyId"))
        network = request.get("vpcConfiguration")
        if network:
            self.require_network(network["subnetIds"], network["securityGroupIds"])

    def _authentication(self) -> Record:
        workspace = self._workspace()
        description: Record = {"providers": workspace["authentication"]["providers"]}
        if "SAML" in description["providers"]:
            configuration = self.table("saml").get(workspace["id"])
            status = workspace["authentication"]["samlConfigurationStatus"]
            description["saml"] = {
                "status": status,
                **({"configuration": configuration} if configuration else {}),
            }
        if "AWS_SSO" in description["providers"]:
            description["awsSso"] = {"ssoClientId": f"ins-{workspace['id'][2:]}"}
        return description

    def _workspace(self) -> Record:
        workspace_id = self._get_param("workspaceId")
        return self.found("workspaces", workspace_id, f"workspace {workspace_id}")

    def _account(self) -> Record:
        key = f"{self._workspace()['id']}/{self._get_param('serviceAccountId')}"
        return self.found("accounts", key, f"service account {key}")

    def _workspace_arn(self, workspace_id: str) -> str:
        return self.arn(f"/workspaces/{workspace_id}")


def _described(request: Record) -> Record:
    renamed = {new: request[old] for old, new in _RENAMED.items() if old in request}
    return renamed | {key: request[key] for key in _SAME if key in request}


def _saml_status(providers: list[str], *, configured: bool) -> dict[str, Any]:
    if "SAML" not in providers:
        return {}
    return {"samlConfigurationStatus": "CONFIGURED" if configured else "NOT_CONFIGURED"}


def _configuration(text: str) -> str:
    """Check the configuration of a workspace, which must be JSON with keys of the service."""
    try:
        unknown = sorted(json.loads(text).keys() - {"unifiedAlerting", "plugins"})
    except (ValueError, AttributeError):
        raise RefusedError("ValidationException", "configuration is not a JSON object") from None
    if unknown:
        raise RefusedError("ValidationException", f"configuration has unknown keys: {', '.join(unknown)}")
    return text


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]
