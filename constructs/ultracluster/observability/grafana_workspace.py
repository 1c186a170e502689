"""An Amazon Managed Grafana workspace."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, add_service_role, attribute, statement, tag_list

GrafanaAuthentication = Literal["SAML", "AWS_SSO"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SamlSignIn:
    """The identity provider, and who is what by the values of one of its attributes.

    Whoever can give out these values is administrator of Grafana
    (https://github.com/aws/amazon-managed-grafana-roadmap/issues/106).
    """

    metadata_url: str
    role_attribute: str
    admins: Sequence[str]
    editors: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GrafanaWorkspaceProps(Tagged):
    """Who signs in to Grafana and what it may read.

    Attributes:
        name: The workspace's name.
        grafana_version: The version, pinned. It can be raised later but never lowered.
        metrics_workspace_arns: Prometheus workspaces it may query.
        authentication: `SAML` by default, which any account can create and connect to an identity provider
            later. `AWS_SSO` needs IAM Identity Center, and without it the creation fails.
        saml: The identity provider. None: set afterwards, since it asks for the workspace's address.
        plugin_admin_enabled: Whether administrators may install plugins. True by default: from version 12
            on, the Prometheus data source with AWS signing is one (OBS-12, OBS-22).
        prefix_list_ids: Prefix lists that may open Grafana.
        vpc_endpoint_ids: VPC endpoints that it may be opened through. Neither: everybody who can sign in.
        subnet_ids: Subnets from which it reaches data sources in a VPC, two at least. None: it does not.
        security_group_ids: Security groups of its interfaces there.
    """

    name: str
    grafana_version: str
    metrics_workspace_arns: Sequence[str]
    authentication: GrafanaAuthentication = "SAML"
    saml: SamlSignIn | None = None
    plugin_admin_enabled: bool = True
    prefix_list_ids: Sequence[str] = ()
    vpc_endpoint_ids: Sequence[str] = ()
    subnet_ids: Sequence[str] = ()
    security_group_ids: Sequence[str] = ()


class GrafanaWorkspace(Construct):
    """A Grafana workspace that reads this account's metrics through a role of its own.

    Attributes:
        workspace_id: The workspace.
        endpoint: Its host name, without a scheme.
        role_arn: The role it reads with.
    """

    def __init__(self, scope: Construct, construct_id: str, props: GrafanaWorkspaceProps) -> None:
        """Create the workspace and its role; raises ValueError for a network that the service refuses."""
        super().__init__(scope, construct_id)
        self.role_arn = add_workspace_role(self, props)
        workspace = add_resource(
            self,
            "Resource",
            "AWS::Grafana::Workspace",
            workspace_settings(props, RoleArn=self.role_arn, Tags=tag_list(props.tags)),
        )
        self.workspace_id = workspace.ref
        self.endpoint = attribute(workspace, "Endpoint")


def workspace_settings(props: GrafanaWorkspaceProps, **more: object) -> dict[str, Any]:
    """The workspace in CloudFormation's words, in the order of their names; `more` are its role and tags.

    Raises ValueError for subnets without security groups, or fewer than two.
    """
    if bool(props.subnet_ids) != bool(props.security_group_ids):
        raise ValueError("subnet_ids and security_group_ids belong together: give both or neither")
    if len(props.subnet_ids) == 1:
        raise ValueError(f"subnet_ids {list(props.subnet_ids)}: a workspace in a VPC needs two at least")
    access = {"PrefixListIds": sorted(props.prefix_list_ids), "VpceIds": sorted(props.vpc_endpoint_ids)}
    interfaces = {
        "SecurityGroupIds": sorted(props.security_group_ids),
        "SubnetIds": sorted(props.subnet_ids),
    }
    settings = {
        "AccountAccessType": "CURRENT_ACCOUNT",
        "AuthenticationProviders": [props.authentication],
        "DataSources": ["CLOUDWATCH", "PROMETHEUS"],
        "GrafanaVersion": props.grafana_version,
        # without the block everybody may open Grafana, with empty lists nobody
        "NetworkAccessControl": access if any(access.values()) else None,
        # service-managed permissions made through the API get no policies
        # (hashicorp/terraform-provider-aws#24342)
        "PermissionType": "CUSTOMER_MANAGED",
        "PluginAdminEnabled": props.plugin_admin_enabled,
        "SamlConfiguration": _saml(props.saml),
        **more,
        "VpcConfiguration": interfaces if props.subnet_ids else None,
    }
    return {"Name": props.name, **{name: settings[name] for name in sorted(settings)}}


def add_workspace_role(scope: Construct, props: GrafanaWorkspaceProps) -> str:
    """The role that a workspace reads with; gives its ARN."""
    role = add_service_role(
        scope,
        "Role",
        service="grafana.amazonaws.com",
        description=f"Reads metrics for the Grafana workspace {props.name}",
        statements=[*_prometheus_statements(props.metrics_workspace_arns), *_cloudwatch_statements()],
        tags=props.tags,
    )
    return attribute(role, "Arn")


def _saml(saml: SamlSignIn | None) -> dict[str, Any] | None:
    if saml is None:
        return None
    roles = {"Admin": list(saml.admins), "Editor": list(saml.editors)}
    return {
        "AssertionAttributes": {"Role": saml.role_attribute},
        "IdpMetadata": {"Url": saml.metadata_url},
        "RoleValues": {name: values for name, values in roles.items() if values},
    }


def _prometheus_statements(workspace_arns: Sequence[str]) -> list[dict[str, Any]]:
    """Queries of the given workspaces, and their alerts.

    Source: https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-alertmanager-IAM-permissions.html
    """
    if not workspace_arns:
        return []
    actions = [
        "aps:DescribeWorkspace",
        "aps:GetAlertManagerStatus",
        "aps:GetLabels",
        "aps:GetMetricMetadata",
        "aps:GetSeries",
        "aps:ListAlertManagerAlertGroups",
        "aps:ListAlertManagerAlerts",
        "aps:ListAlertManagerSilences",
        "aps:ListRules",
        "aps:QueryMetrics",
    ]
    return [
        statement(actions, list(workspace_arns), sid="Prometheus"),
        # the list that the data source is picked from; takes no resource
        statement(["aps:ListWorkspaces"], "*", sid="FindWorkspaces"),
    ]


def _cloudwatch_statements() -> list[dict[str, Any]]:
    """Metrics, which CloudWatch does not scope to resources, and the lists that the data source offers.

    Source: https://grafana.com/docs/grafana/latest/datasources/aws-cloudwatch/
    """
    actions = [
        "cloudwatch:DescribeAlarmHistory",
        "cloudwatch:DescribeAlarms",
        "cloudwatch:DescribeAlarmsForMetric",
        "cloudwatch:GetInsightRuleReport",
        "cloudwatch:GetMetricData",
        "cloudwatch:ListMetrics",
        "ec2:DescribeInstances",
        "ec2:DescribeRegions",
        "ec2:DescribeTags",
        "tag:GetResources",
    ]
    return [statement(actions, "*", sid="CloudWatch")]
