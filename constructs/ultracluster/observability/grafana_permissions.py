"""What the function that loads into Grafana may do."""

from collections.abc import Sequence
from typing import Any

from ultracluster.cfn import statement, sub

# what each action is granted on:
# https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonmanagedgrafana.html
_LOADS = (
    "grafana:CreateWorkspaceServiceAccount",
    "grafana:CreateWorkspaceServiceAccountToken",
    "grafana:DeleteWorkspaceServiceAccount",
    "grafana:DeleteWorkspaceServiceAccountToken",
    "grafana:DescribeWorkspace",
    "grafana:DescribeWorkspaceConfiguration",
    "grafana:ListWorkspaceServiceAccounts",
    "grafana:UpdateWorkspaceConfiguration",
)
_MAKES = (
    "grafana:DeleteWorkspace",
    "grafana:DescribeWorkspaceAuthentication",
    "grafana:ListTagsForResource",
    "grafana:TagResource",
    "grafana:UntagResource",
    "grafana:UpdateWorkspace",
    "grafana:UpdateWorkspaceAuthentication",
)
# of AWS's own policy AWSSSOMemberAccountAdministrator: a workspace is an application of Identity Center
_SIGNS_IN = (
    "sso:CreateManagedApplicationInstance",
    "sso:DeleteManagedApplicationInstance",
    "sso:DescribeRegisteredRegions",
    "sso:GetManagedApplicationInstance",
    "sso:GetSharedSsoConfiguration",
)


Statement = dict[str, Any]


def writes_log(log_group_arn: str) -> Statement:
    """Its own log."""
    return statement(["logs:CreateLogStream", "logs:PutLogEvents"], log_group_arn, sid="Log")


def loads_into(region: str, workspace_id: str) -> Statement:
    """Work in one workspace: a service account for minutes, and the workspace's configuration."""
    workspace = f"arn:${{AWS::Partition}}:grafana:{region}:${{AWS::AccountId}}:/workspaces/${{Id}}"
    return statement(_LOADS, {"Fn::Sub": [workspace, {"Id": workspace_id}]}, sid="Load")


def makes_workspaces(region: str, role_arn: str, *, identity_center: bool) -> list[Statement]:
    """Make, change and delete a workspace in a Region, whose id the service makes up, and work in it."""
    workspaces = sub(f"arn:${{AWS::Partition}}:grafana:{region}:${{AWS::AccountId}}:/workspaces/*")
    passed = {"StringEquals": {"iam:PassedToService": "grafana.amazonaws.com"}}
    found = [
        statement(["grafana:CreateWorkspace", "grafana:ListWorkspaces"], "*", sid="Make"),
        statement([*_LOADS, *_MAKES], workspaces, sid="Keep"),
        statement(["iam:PassRole"], role_arn, sid="GiveRole", condition=passed),
    ]
    return [*found, statement(_SIGNS_IN, "*", sid="SignIn")] if identity_center else found


def reads_secrets(arns: Sequence[str]) -> list[Statement]:
    """Secrets, and their keys where these are customers': which one only the secret knows."""
    by = {"StringLike": {"kms:ViaService": "secretsmanager.*.amazonaws.com"}}
    return [
        statement(["secretsmanager:GetSecretValue"], sorted(arns), sid="Secrets"),
        statement(["kms:Decrypt"], "*", sid="KeysOfSecrets", condition=by),
    ]


def in_a_vpc() -> Statement:
    """Interfaces of a function in a VPC.

    Source: https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
    """
    actions = [
        "ec2:AssignPrivateIpAddresses",
        "ec2:CreateNetworkInterface",
        "ec2:DeleteNetworkInterface",
        "ec2:DescribeNetworkInterfaces",
        "ec2:DescribeSubnets",
        "ec2:UnassignPrivateIpAddresses",
    ]
    return statement(actions, "*", sid="Interfaces")
