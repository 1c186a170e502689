"""Amazon Managed Grafana workspace in a Region other than the stack's."""

import json
from typing import Any

from constructs import Construct

from ultracluster.cfn import add_resource, attribute, without_none
from ultracluster.observability.grafana_loader import SERVICE_TIMEOUT_S, GrafanaLoader
from ultracluster.observability.grafana_workspace import (
    GrafanaWorkspaceProps,
    workspace_settings,
)

_RENAMED = {"Name": "workspaceName", "DataSources": "workspaceDataSources", "SamlConfiguration": "saml"}


class RegionalGrafanaWorkspace(Construct):
    """A Grafana workspace that the loader function creates in another Region.

    Some Regions with GPUs do not have Amazon Managed Grafana. The workspace has the same settings as
    `GrafanaWorkspace`, and is deleted with the stack.

    Attributes:
        workspace_id: Id of the workspace.
        endpoint: Host name of the workspace, without a scheme.
        resource: Custom resource, for dependencies on the workspace.
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
        """Create the workspace in `region`; its queries use the role `role_arn`."""
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
                # as JSON text, since CloudFormation converts all values of a custom resource to strings
                "Settings": json.dumps(without_none(_settings(props)), sort_keys=True),
                "Tags": json.dumps(dict(props.tags), sort_keys=True),
            },
        )
        self.resource = made
        self.workspace_id = attribute(made, "WorkspaceId")
        self.endpoint = attribute(made, "Endpoint")


def _settings(props: GrafanaWorkspaceProps) -> dict[str, Any]:
    """Return the settings with the API's names; some of these names differ in CloudFormation."""
    found = {_RENAMED.get(name, name): value for name, value in workspace_settings(props).items()}
    return {_lowered(name): _api(value) for name, value in found.items() if value is not None}


def _api(value: object) -> object:
    return {_lowered(key): _api(one) for key, one in value.items()} if isinstance(value, dict) else value


def _lowered(name: str) -> str:
    return name[0].lower() + name[1:]
