"""Roles and policies, secrets and parameters."""

from __future__ import annotations

import json

from .example import ROLE, Client, Example, allowed, ref, resource, trusted

SECRET = {
    "Secret": resource(
        "AWS::SecretsManager::Secret",
        GenerateSecretString={
            "SecretStringTemplate": '{"username": "slurm"}',
            "GenerateStringKey": "password",
            "PasswordLength": 30,
            "ExcludeCharacters": '"@/\\',
        },
    )
}
INSTANCE = {
    "Database": resource(
        "AWS::RDS::DBInstance",
        DBInstanceClass="db.t4g.medium",
        Engine="mysql",
        AllocatedStorage="20",
        MasterUsername="slurm",
        MasterUserPassword="not-a-secret",
    )
}


def _attached(client: Client, role: str) -> list[str]:
    reported = client("iam").list_attached_role_policies(RoleName=role)["AttachedPolicies"]
    return [policy["PolicyName"] for policy in reported]


def _default_document(client: Client, arn: str) -> str:
    iam = client("iam")
    version = iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
    reported = iam.get_policy_version(PolicyArn=arn, VersionId=version)["PolicyVersion"]["Document"]
    action: str = reported["Statement"][0]["Action"]
    return action


def _inline_actions(client: Client, _: str) -> list[str]:
    iam, actions = client("iam"), []
    for role in iam.list_roles()["Roles"]:
        for name in iam.list_role_policies(RoleName=role["RoleName"])["PolicyNames"]:
            policy = iam.get_role_policy(RoleName=role["RoleName"], PolicyName=name)
            actions.append(policy["PolicyDocument"]["Statement"][0]["Action"])
    return actions


def _engine(client: Client, arn: str) -> str:
    text = client("secretsmanager").get_secret_value(SecretId=arn)["SecretString"]
    engine: str = json.loads(text)["engine"]
    return engine


def _document(text: str) -> dict[str, object]:
    step = {"action": "aws:runShellScript", "name": "run", "inputs": {"runCommand": [text]}}
    return {"schemaVersion": "2.2", "description": "health", "mainSteps": [step]}


EXAMPLES = (
    Example(
        type="AWS::IAM::Role",
        properties={
            "AssumeRolePolicyDocument": trusted("ec2"),
            "Policies": [{"PolicyName": "read", "PolicyDocument": allowed("s3:GetObject")}],
        },
        change={"ManagedPolicyArns": ["arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"]},
        seen=_attached,
        expected=["AmazonSSMManagedInstanceCore"],
    ),
    Example(
        type="AWS::IAM::Policy",
        properties={
            "PolicyName": "read",
            "PolicyDocument": allowed("s3:GetObject"),
            "Roles": [ref("Role")],
        },
        stands_on=ROLE,
        change={"PolicyDocument": allowed("s3:PutObject")},
        seen=_inline_actions,
        expected=["s3:PutObject"],
    ),
    Example(
        type="AWS::IAM::ManagedPolicy",
        properties={"PolicyDocument": allowed("s3:GetObject"), "Roles": [ref("Role")]},
        stands_on=ROLE,
        change={"PolicyDocument": allowed("s3:PutObject")},
        seen=_default_document,
        expected="s3:PutObject",
    ),
    Example(
        type="AWS::IAM::InstanceProfile",
        properties={"Roles": [ref("Role")]},
        stands_on={
            **ROLE,
            "Other": resource("AWS::IAM::Role", RoleName="other", AssumeRolePolicyDocument=trusted("ec2")),
        },
        change={"Roles": [ref("Other")]},
        seen=lambda client, name: client("iam").get_instance_profile(InstanceProfileName=name)[
            "InstanceProfile"
        ]["Roles"][0]["RoleName"],
        expected="other",
    ),
    Example(
        type="AWS::IAM::OIDCProvider",
        properties={
            "Url": "https://oidc.eks.us-east-1.amazonaws.com/id/EXAMPLE",
            "ClientIdList": ["sts.amazonaws.com"],
            "ThumbprintList": ["9e99a48a9960b14926bb7f3b02e22da2b0ab7280"],
        },
        change={"ClientIdList": ["sts.amazonaws.com", "other"]},
        seen=lambda client, arn: sorted(
            client("iam").get_open_id_connect_provider(OpenIDConnectProviderArn=arn)["ClientIDList"]
        ),
        expected=["other", "sts.amazonaws.com"],
    ),
    Example(
        type="AWS::IAM::ServiceLinkedRole",
        properties={"AWSServiceName": "pcs.amazonaws.com"},
        change={"Description": "for Slurm"},
        seen=lambda client, name: client("iam").get_role(RoleName=name)["Role"]["Description"],
        expected="for Slurm",
    ),
    Example(
        type="AWS::SecretsManager::Secret",
        properties=SECRET["Secret"]["Properties"],
        change={"Description": "of the accounting database"},
        seen=lambda client, arn: client("secretsmanager").describe_secret(SecretId=arn)["Description"],
        expected="of the accounting database",
    ),
    Example(
        type="AWS::SecretsManager::SecretTargetAttachment",
        properties={
            "SecretId": ref("Secret"),
            "TargetId": ref("Database"),
            "TargetType": "AWS::RDS::DBInstance",
        },
        stands_on={
            **SECRET,
            **INSTANCE,
            "Other": {
                **INSTANCE["Database"],
                "Properties": {**INSTANCE["Database"]["Properties"], "Engine": "postgres"},
            },
        },
        change={"TargetId": ref("Other")},
        seen=_engine,
        expected="postgres",
    ),
    Example(
        type="AWS::SSM::Parameter",
        properties={"Type": "String", "Value": "fs-0123456789abcdef0"},
        change={"Value": "fs-0123456789abcdef1"},
        seen=lambda client, name: client("ssm").get_parameter(Name=name)["Parameter"]["Value"],
        expected="fs-0123456789abcdef1",
    ),
    Example(
        type="AWS::SSM::Document",
        properties={
            "DocumentType": "Command",
            "Content": _document("nvidia-smi"),
            "UpdateMethod": "NewVersion",
        },
        change={"Content": _document("fi_info")},
        seen=lambda client, name: "fi_info" in client("ssm").get_document(Name=name)["Content"],
        expected=True,
    ),
    Example(
        type="AWS::SSM::Association",
        properties={
            "Name": "AWS-RunPatchBaseline",
            "Targets": [{"Key": "tag:role", "Values": ["login"]}],
            "ScheduleExpression": "rate(7 days)",
        },
        change={"ScheduleExpression": "rate(1 day)"},
        seen=lambda client, association: client("ssm").describe_association(AssociationId=association)[
            "AssociationDescription"
        ]["ScheduleExpression"],
        expected="rate(1 day)",
    ),
)
