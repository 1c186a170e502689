"""A workspace of Amazon Managed Grafana, and a way into it that lasts for minutes.

A service account of ours with a token that soon expires, both deleted when the work is done, whatever came
of it. API keys would do as well, but are gone from version 12 on, and a token in a pipeline's settings ends
after thirty days at the latest: https://docs.aws.amazon.com/grafana/latest/userguide/service-accounts.html
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import boto3
from botocore.exceptions import ClientError

from .patience import GoneError, Patience, RefusedError, code_of

LIFE_S = 900
"""How long a token is good for: as long as the function runs, if nothing deletes it before."""

WORKING = ("CREATING", "UPDATING", "UPGRADING", "VERSION_UPDATING")
GONE = ("DELETING", "DELETION_FAILED")


class Workspace:
    """One workspace, asked with patience."""

    def __init__(self, workspace_id: str, region: str, patience: Patience) -> None:
        """`region` is the workspace's."""
        self.id, self._patience = workspace_id, patience
        self.grafana: Any = boto3.client("grafana", region_name=region)

    def ask(self, call: Callable[..., Any], **request: Any) -> Any:
        """Call the service about the workspace; raises where it is gone."""
        try:
            return self._patience.ask(call, workspaceId=self.id, **request)
        except ClientError as error:
            if code_of(error) == "ResourceNotFoundException":
                raise GoneError(f"{self.id} does not exist") from error
            raise

    def ready(self) -> Mapping[str, Any]:
        """The workspace as soon as it works."""
        while True:
            found: Mapping[str, Any] = self.ask(self.grafana.describe_workspace)["workspace"]
            if found["status"] == "ACTIVE":
                return found
            if found["status"] in GONE:
                raise GoneError(f"{self.id} is being deleted")
            if found["status"] not in WORKING:
                raise RefusedError(f"{self.id} is {found['status']}")
            self._patience.wait(f"{self.id} is still {found['status']}")

    def configure(self, wanted: Mapping[str, Any]) -> None:
        """Bring its configuration to what is wanted; what is not mentioned stays, and no change is no call.

        A change may restart Grafana: https://docs.aws.amazon.com/grafana/latest/userguide/AMG-configure-workspace.html
        """
        text = self.ask(self.grafana.describe_workspace_configuration)["configuration"]
        there = json.loads(text or "{}")
        if there | dict(wanted) != there:
            changed = json.dumps(there | dict(wanted))
            self.ask(self.grafana.update_workspace_configuration, configuration=changed)
            self.ready()

    @contextmanager
    def token(self, name: str) -> Iterator[str]:
        """The token of a new administrator of that name, both of which are gone after the block."""
        self.sweep(name)
        account = self.ask(self.grafana.create_workspace_service_account, name=name, grafanaRole="ADMIN")[
            "id"
        ]
        try:
            made = self.ask(
                self.grafana.create_workspace_service_account_token,
                serviceAccountId=account,
                name=name,
                secondsToLive=LIFE_S,
            )["serviceAccountToken"]
            try:
                yield made["key"]
            finally:
                self._forget(
                    self.grafana.delete_workspace_service_account_token,
                    serviceAccountId=account,
                    tokenId=made["id"],
                )
        finally:
            self._forget(self.grafana.delete_workspace_service_account, serviceAccountId=account)

    def sweep(self, name: str) -> None:
        """Delete accounts of the name that a function left that was stopped before it could."""
        request: dict[str, Any] = {}
        while True:
            page = self.ask(self.grafana.list_workspace_service_accounts, **request)
            for account in page["serviceAccounts"]:
                if account["name"] == name:
                    print(f"{self.id}: deletes the service account {name}, which was left behind")
                    self._forget(
                        self.grafana.delete_workspace_service_account, serviceAccountId=account["id"]
                    )
            if not page.get("nextToken"):
                return
            request["nextToken"] = page["nextToken"]

    def _forget(self, call: Callable[..., Any], **request: Any) -> None:
        """Delete something; a failure is told, and never hides what was raised before."""
        try:
            self.ask(call, **request)
        except GoneError:
            pass
        except (ClientError, RefusedError) as error:
            print(f"WARNING: {self.id}: left behind, and swept up the next time: {error}")
