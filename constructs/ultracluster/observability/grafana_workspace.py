"""Amazon Managed Grafana workspace."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, add_service_role, attribute, statement, tag_list

GrafanaAuthentication = Literal["SAML", "AWS_SSO"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SamlSignIn:
    """SAML identity provider, and the values of its role attribute.

    Anyone who can set these values in the identity provider can become an administrator of Grafana
    (https://github.com/aws/amazon-managed-grafana-roadmap/issues/106).
    """

    metadata_url: str
    role_attribute: str
    admins: Sequence[str]
    editors: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GrafanaWorkspaceProps(Tagged):
    """Properties of an Amazon Managed Grafana workspace.

    Attributes:
        name: Name of the workspace.
        grafana_version: Grafana version. You can raise it later but never lower it.
        metrics_workspace_arns: ARNs of AMP workspaces that Grafana may query.
        authentication: `SAML` by default, which works in any account; you can set the identity provider
            later. `AWS_SSO` requires IAM Identity Center, or the creation fails.
        saml: Identity provider. None: you set it later, since it needs the URL of the workspace.
        plugin_admin_enabled: Whether administrators may install plugins. True by default, since the
            Prometheus data source with AWS signatures is a plugin from version 12 on (OBS-12, OBS-22).
        prefix_list_ids: Prefix lists whose addresses may open Grafana.
        vpc_endpoint_ids: VPC endpoints through which users may open Grafana. If both lists (prefix_list_ids
            and vpc_endpoint_ids) are empty, every address may open Grafana.
        subnet_ids: At least two subnets through which Grafana reaches data sources in a VPC. Empty: no VPC
            access.
        security_group_ids: Security groups of the workspace's network interfaces in these subnets.
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
    """An Amazon Managed Grafana workspace with a role that reads metrics of this account.

    Attributes:
        workspace_id: Id of the workspace.
        endpoint: Host name of the workspace, without a scheme.
        role_arn: ARN of the role of the workspace.
    """

    def __init__(self, scope: Construct, construct_id: str, props: GrafanaWorkspaceProps) -> None:
        """Create the workspace and its role; raises ValueError for an invalid VPC configuration."""
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
    """Return the CloudFormation properties of a workspace, sorted by name; `more` are its role and tags.

    Raises ValueError if only one of subnets and security groups is given, or if only one subnet is given.
    """
    if bool(props.subnet_ids) != bool(props.security_group_ids):
        raise ValueError("set both subnet_ids and security_group_ids, or neither")
    if len(props.subnet_ids) == 1:
        raise ValueError(
            f"subnet_ids {list(props.subnet_ids)}: a workspace in a VPC needs at least two subnets"
        )
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
        # without this property all addresses may open Grafana; with empty lists, no address may
        "NetworkAccessControl": access if any(access.values()) else None,
        # service-managed permissions that the API creates have no policies
        # (hashicorp/terraform-provider-aws#24342)
        "PermissionType": "CUSTOMER_MANAGED",
        "PluginAdminEnabled": props.plugin_admin_enabled,
        "SamlConfiguration": _saml(props.saml),
        **more,
        "VpcConfiguration": interfaces if props.subnet_ids else None,
    }
    return {"Name": props.name, **{name: settings[name] for name in sorted(settings)}}


def add_workspace_role(scope: Construct, props: GrafanaWorkspaceProps) -> str:
    """Create the role that a workspace uses to read metrics; return its ARN."""
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
    """Return the statements to query AMP workspaces and their alerts.

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
        # to list the workspaces; the action supports no resource-level permissions
        statement(["aps:ListWorkspaces"], "*", sid="FindWorkspaces"),
    ]


def _cloudwatch_statements() -> list[dict[str, Any]]:
    """Return the statement for the CloudWatch data source.

    Most of the actions do not support resource-level permissions, so the statement has the resource `*`.

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
