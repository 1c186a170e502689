"""Amazon Managed Grafana workspace, and temporary access to it.

The function creates a service account with a token that expires soon, and deletes both when it is done or
fails. API keys do not exist from version 12 on, and a permanent token would expire after at most 30 days:
https://docs.aws.amazon.com/grafana/latest/userguide/service-accounts.html
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import boto3
from botocore.exceptions import ClientError

from .retries import GoneError, RefusedError, Retries, code_of

LIFE_S = 900
"""Lifetime of a token in seconds, which is the maximum run time of the function."""

WORKING = ("CREATING", "UPDATING", "UPGRADING", "VERSION_UPDATING")
GONE = ("DELETING", "DELETION_FAILED")


class Workspace:
    """A workspace whose API calls are retried."""

    def __init__(self, workspace_id: str, region: str, retries: Retries) -> None:
        """`region` is the Region of the workspace."""
        self.id, self._retries = workspace_id, retries
        self.grafana: Any = boto3.client("grafana", region_name=region)

    def call(self, operation: Callable[..., Any], **request: Any) -> Any:
        """Call the API for the workspace; raises GoneError if it does not exist."""
        try:
            return self._retries.call(operation, workspaceId=self.id, **request)
        except ClientError as error:
            if code_of(error) == "ResourceNotFoundException":
                raise GoneError(f"{self.id} does not exist") from error
            raise

    def ready(self) -> Mapping[str, Any]:
        """Wait until the workspace is active, and return it."""
        while True:
            found: Mapping[str, Any] = self.call(self.grafana.describe_workspace)["workspace"]
            if found["status"] == "ACTIVE":
                return found
            if found["status"] in GONE:
                raise GoneError(f"{self.id} is being deleted")
            if found["status"] not in WORKING:
                raise RefusedError(f"{self.id} is {found['status']}")
            self._retries.wait(f"{self.id} is still {found['status']}")

    def configure(self, wanted: Mapping[str, Any]) -> None:
        """Set the keys of `wanted` in the configuration and keep other keys, if there is a change.

        A change may restart Grafana: https://docs.aws.amazon.com/grafana/latest/userguide/AMG-configure-workspace.html
        """
        text = self.call(self.grafana.describe_workspace_configuration)["configuration"]
        there = json.loads(text or "{}")
        if there | dict(wanted) != there:
            changed = json.dumps(there | dict(wanted))
            self.call(self.grafana.update_workspace_configuration, configuration=changed)
            self.ready()

    @contextmanager
    def token(self, name: str) -> Iterator[str]:
        """Yield the token of a new administrator of this name; both are deleted afterwards."""
        self.sweep(name)
        account = self.call(self.grafana.create_workspace_service_account, name=name, grafanaRole="ADMIN")[
            "id"
        ]
        try:
            made = self.call(
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
        """Delete accounts of this name that an interrupted function left."""
        request: dict[str, Any] = {}
        while True:
            page = self.call(self.grafana.list_workspace_service_accounts, **request)
            for account in page["serviceAccounts"]:
                if account["name"] == name:
                    print(f"{self.id}: deleting the service account {name} of an interrupted run")
                    self._forget(
                        self.grafana.delete_workspace_service_account, serviceAccountId=account["id"]
                    )
            if not page.get("nextToken"):
                return
            request["nextToken"] = page["nextToken"]

    def _forget(self, operation: Callable[..., Any], **request: Any) -> None:
        """Delete an object; a failure is logged, so that it does not hide an earlier exception."""
        try:
            self.call(operation, **request)
        except GoneError:
            pass
        except (ClientError, RefusedError) as error:
            print(
                f"WARNING: {self.id}: cannot delete the temporary account, the next run deletes it: {error}"
            )
