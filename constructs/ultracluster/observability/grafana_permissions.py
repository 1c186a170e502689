"""Permissions of the Lambda function that loads content into Grafana."""

from collections.abc import Sequence
from typing import Any

from ultracluster.cfn import statement, sub

# resource types of each action:
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
# from the AWS policy AWSSSOMemberAccountAdministrator: a workspace is an IAM Identity Center application
_SIGNS_IN = (
    "sso:CreateManagedApplicationInstance",
    "sso:DeleteManagedApplicationInstance",
    "sso:DescribeRegisteredRegions",
    "sso:GetManagedApplicationInstance",
    "sso:GetSharedSsoConfiguration",
)


Statement = dict[str, Any]


def writes_log(log_group_arn: str) -> Statement:
    """Return the statement to write to the function's log."""
    return statement(["logs:CreateLogStream", "logs:PutLogEvents"], log_group_arn, sid="Log")


def loads_into(region: str, workspace_id: str) -> Statement:
    """Return the statement that allows temporary service accounts and configuration of one workspace."""
    workspace = f"arn:${{AWS::Partition}}:grafana:{region}:${{AWS::AccountId}}:/workspaces/${{Id}}"
    return statement(_LOADS, {"Fn::Sub": [workspace, {"Id": workspace_id}]}, sid="Load")


def makes_workspaces(region: str, role_arn: str, *, identity_center: bool) -> list[Statement]:
    """Return the statements to create, change, use and delete workspaces in a Region."""
    workspaces = sub(f"arn:${{AWS::Partition}}:grafana:{region}:${{AWS::AccountId}}:/workspaces/*")
    passed = {"StringEquals": {"iam:PassedToService": "grafana.amazonaws.com"}}
    found = [
        statement(["grafana:CreateWorkspace", "grafana:ListWorkspaces"], "*", sid="Make"),
        statement([*_LOADS, *_MAKES], workspaces, sid="Keep"),
        statement(["iam:PassRole"], role_arn, sid="GiveRole", condition=passed),
    ]
    return [*found, statement(_SIGNS_IN, "*", sid="SignIn")] if identity_center else found


def reads_secrets(arns: Sequence[str]) -> list[Statement]:
    """Return the statements to read secrets, and to decrypt them with any customer managed key."""
    by = {"StringLike": {"kms:ViaService": "secretsmanager.*.amazonaws.com"}}
    return [
        statement(["secretsmanager:GetSecretValue"], sorted(arns), sid="Secrets"),
        statement(["kms:Decrypt"], "*", sid="KeysOfSecrets", condition=by),
    ]


def in_a_vpc() -> Statement:
    """Return the statement that a function in a VPC needs for its network interfaces.

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
