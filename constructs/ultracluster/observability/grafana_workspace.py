"""An Amazon Managed Grafana workspace."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from constructs import Construct

from ultracluster.cfn import add_resource, add_service_role, attribute, statement, tag_list

GrafanaAuthentication = Literal["SAML", "AWS_SSO"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GrafanaWorkspaceProps:
    """Who signs in to Grafana and what it may read.

    Attributes:
        name: The workspace's name.
        grafana_version: The version, pinned. It can be raised later but never lowered.
        metrics_workspace_arns: Prometheus workspaces it may query.
        authentication: `SAML` by default, which any account can create and connect to an identity provider
            later. `AWS_SSO` needs IAM Identity Center, and without it the creation fails.
        plugin_admin_enabled: Whether administrators may install plugins. True by default: from version 12
            on, the Prometheus data source with AWS signing is one (OBS-12, OBS-22).
        tags: Tags of the workspace and its role.
    """

    name: str
    grafana_version: str
    metrics_workspace_arns: Sequence[str]
    authentication: GrafanaAuthentication = "SAML"
    plugin_admin_enabled: bool = True
    tags: Mapping[str, str] = field(default_factory=dict)


class GrafanaWorkspace(Construct):
    """A Grafana workspace that reads this account's metrics through a role of its own.

    Attributes:
        workspace_id: The workspace.
        endpoint: Its host name, without a scheme.
        role_arn: The role it reads with.
    """

    workspace_id: str
    endpoint: str
    role_arn: str

    def __init__(self, scope: Construct, construct_id: str, props: GrafanaWorkspaceProps) -> None:
        """Create the workspace and its role."""
        super().__init__(scope, construct_id)
        role = add_service_role(
            self,
            "Role",
            service="grafana.amazonaws.com",
            description=f"Reads metrics for the Grafana workspace {props.name}",
            statements=[*_prometheus_statements(props.metrics_workspace_arns), *_cloudwatch_statements()],
            tags=props.tags,
        )
        self.role_arn = attribute(role, "Arn")
        workspace = add_resource(
            self,
            "Resource",
            "AWS::Grafana::Workspace",
            {
                "Name": props.name,
                "AccountAccessType": "CURRENT_ACCOUNT",
                "AuthenticationProviders": [props.authentication],
                "DataSources": ["CLOUDWATCH", "PROMETHEUS"],
                "GrafanaVersion": props.grafana_version,
                # service-managed permissions made through the API get no policies
                # (hashicorp/terraform-provider-aws#24342)
                "PermissionType": "CUSTOMER_MANAGED",
                "PluginAdminEnabled": props.plugin_admin_enabled,
                "RoleArn": self.role_arn,
                "Tags": tag_list(props.tags),
            },
        )
        self.workspace_id = workspace.ref
        self.endpoint = attribute(workspace, "Endpoint")


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
