"""A Grafana workspace in another Region than the stack's."""

import json
from typing import Any

from constructs import Construct, IDependable

from ultracluster.cfn import add_resource, attribute
from ultracluster.observability.grafana_loader import SERVICE_TIMEOUT_S, GrafanaLoader
from ultracluster.observability.grafana_workspace import (
    DATA_SOURCES,
    GrafanaWorkspaceProps,
    check_network,
    network_access,
    vpc_configuration,
)


class RegionalGrafanaWorkspace(Construct):
    """A workspace that the loader makes, since a stack's own resources are all in its Region.

    Some Regions with GPUs have no Grafana. The workspace is the same as `GrafanaWorkspace` makes, with the
    same life: it goes with the stack.

    Attributes:
        workspace_id: The workspace.
        endpoint: Its host name, without a scheme.
        resource: The custom resource, for what needs the workspace.
    """

    workspace_id: str
    endpoint: str
    resource: IDependable

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
        check_network(props)
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
                "Settings": json.dumps(_settings(props), sort_keys=True),
                "Tags": json.dumps(dict(props.tags), sort_keys=True),
            },
        )
        self.resource = made
        self.workspace_id = attribute(made, "WorkspaceId")
        self.endpoint = attribute(made, "Endpoint")


def _settings(props: GrafanaWorkspaceProps) -> dict[str, Any]:
    """The workspace in the words of the service's API."""
    access, network = network_access(props), vpc_configuration(props)
    settings = {
        "workspaceName": props.name,
        "grafanaVersion": props.grafana_version,
        "accountAccessType": "CURRENT_ACCOUNT",
        "authenticationProviders": [props.authentication],
        "permissionType": "CUSTOMER_MANAGED",
        "workspaceDataSources": list(DATA_SOURCES),
        "pluginAdminEnabled": props.plugin_admin_enabled,
        "networkAccessControl": access
        and {"prefixListIds": access["PrefixListIds"], "vpceIds": access["VpceIds"]},
        "vpcConfiguration": network
        and {"securityGroupIds": network["SecurityGroupIds"], "subnetIds": network["SubnetIds"]},
        "saml": _saml(props),
    }
    return {name: value for name, value in settings.items() if value is not None}


def _saml(props: GrafanaWorkspaceProps) -> dict[str, Any] | None:
    if props.saml is None:
        return None
    roles = {"admin": list(props.saml.admins), "editor": list(props.saml.editors)}
    return {
        "assertionAttributes": {"role": props.saml.role_attribute},
        "idpMetadata": {"url": props.saml.metadata_url},
        "roleValues": {name: values for name, values in roles.items() if values},
    }
