"""A Grafana workspace in another Region than the stack's."""

import json
from typing import Any

from constructs import Construct

from ultracluster.cfn import add_resource, attribute, given
from ultracluster.observability.grafana_loader import SERVICE_TIMEOUT_S, GrafanaLoader
from ultracluster.observability.grafana_workspace import (
    GrafanaWorkspaceProps,
    workspace_settings,
)

_RENAMED = {"Name": "workspaceName", "DataSources": "workspaceDataSources", "SamlConfiguration": "saml"}


class RegionalGrafanaWorkspace(Construct):
    """A workspace that the loader makes, since a stack's own resources are all in its Region.

    Some Regions with GPUs have no Grafana. The workspace is the same as `GrafanaWorkspace` makes, with the
    same life: it goes with the stack.

    Attributes:
        workspace_id: The workspace.
        endpoint: Its host name, without a scheme.
        resource: The custom resource, for what needs the workspace.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        props: GrafanaWorkspaceProps,
        *,
        region: str,
        role_arn: str,
        loader: GrafanaLoader,
    ) -> None:
        """Make the workspace in `region`, with the role that it reads with."""
        super().__init__(scope, construct_id)
        made = add_resource(
            self,
            "Resource",
            "Custom::GrafanaWorkspace",
            {
                "ServiceToken": loader.function_arn,
                "ServiceTimeout": SERVICE_TIMEOUT_S,
                "Region": region,
                "RoleArn": role_arn,
                # as texts: CloudFormation makes texts of all values in a custom resource's properties
                "Settings": json.dumps(given(_settings(props)), sort_keys=True),
                "Tags": json.dumps(dict(props.tags), sort_keys=True),
            },
        )
        self.resource = made
        self.workspace_id = attribute(made, "WorkspaceId")
        self.endpoint = attribute(made, "Endpoint")


def _settings(props: GrafanaWorkspaceProps) -> dict[str, Any]:
    """The workspace in the words of the service's API, which has names of its own for some settings."""
    found = {_RENAMED.get(name, name): value for name, value in workspace_settings(props).items()}
    return {_lowered(name): _api(value) for name, value in found.items() if value is not None}


def _api(value: object) -> object:
    return {_lowered(key): _api(one) for key, one in value.items()} if isinstance(value, dict) else value


def _lowered(name: str) -> str:
    return name[0].lower() + name[1:]
