"""How the constructs write CloudFormation resources.

Every resource is a plain `CfnResource`: its type and its properties as CloudFormation's reference names
them. The typed classes of `aws_cdk` would add nothing but time: loading the nine service modules that a
cluster touches costs, in Python and in Node, up to 40 % of the synthesis of a small app, whereas nested
properties are plain dictionaries in either form. Names and types of all properties, nested ones too, are
checked by cfn-lint against the services' own schemas, in the tests. One consequence: rules of cdk-nag look
for the typed classes, so they run over the synthesized template (`CfnInclude`), as cdk-nag's guide
describes, and never over the app itself, where they would find nothing to check.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from aws_cdk import CfnResource, RemovalPolicy
from constructs import Construct, IDependable

from ultracluster.retention import Retention

_REMOVAL_POLICIES = {
    Retention.RETAIN: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    Retention.ALWAYS: RemovalPolicy.RETAIN,
    Retention.DISPOSABLE: RemovalPolicy.DESTROY,
}

#: A rule that matches nothing. Given as the only egress rule, it takes the place of the one that allows
#: everything, which EC2 adds to a group without any. Source:
#: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-securitygroup.html
NO_EGRESS: dict[str, Any] = {"CidrIp": "127.0.0.1/32", "IpProtocol": "-1", "Description": "No egress"}


def add_resource(
    scope: Construct,
    resource_id: str,
    resource_type: str,
    properties: Mapping[str, Any],
    *,
    retention: Retention | None = None,
    depends_on: Sequence[IDependable] = (),
) -> CfnResource:
    """Add one resource to the template.

    Properties whose value is None are left out. Without `retention` neither policy is rendered and
    CloudFormation deletes the resource with its stack.
    """
    rendered = {key: value for key, value in properties.items() if value is not None}
    resource = CfnResource(scope, resource_id, type=resource_type, properties=rendered)
    if retention is not None:
        resource.apply_removal_policy(_REMOVAL_POLICIES[retention])
    if depends_on:
        resource.node.add_dependency(*depends_on)
    return resource


def attribute(resource: CfnResource, name: str) -> str:
    """An attribute of a resource (`Fn::GetAtt`) as a string token."""
    return resource.get_att(name).to_string()


def sub(text: str) -> dict[str, str]:
    """A text with CloudFormation's pseudo parameters (`${AWS::Region}`) in it."""
    return {"Fn::Sub": text}


def tag_list(tags: Mapping[str, str], name: str | None = None) -> list[dict[str, str]]:
    """Tags as CloudFormation lists them, by key, with the Name tag that consoles show."""
    named = dict(tags) if name is None else {**tags, "Name": name}
    return [{"Key": key, "Value": named[key]} for key in sorted(named)]


def add_log_group(
    scope: Construct,
    resource_id: str,
    *,
    name: str,
    retention_days: int,
    key_arn: str | None,
    tags: Mapping[str, str],
) -> CfnResource:
    """Add a log group that goes with its stack."""
    properties = {
        "LogGroupName": name,
        "RetentionInDays": retention_days,
        "KmsKeyId": key_arn,
        "Tags": tag_list(tags),
    }
    return add_resource(scope, resource_id, "AWS::Logs::LogGroup", properties, retention=Retention.DISPOSABLE)


def statement(
    actions: Sequence[str],
    resources: object,
    *,
    sid: str | None = None,
    condition: Mapping[str, Any] | None = None,
    principal: object = None,
    effect: str = "Allow",
) -> dict[str, Any]:
    """One statement of an IAM, bucket or key policy."""
    parts = {
        "Sid": sid,
        "Effect": effect,
        "Principal": principal,
        "Action": list(actions),
        "Resource": resources,
        "Condition": condition,
    }
    return {key: value for key, value in parts.items() if value is not None}


def policy(statements: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A policy document."""
    return {"Version": "2012-10-17", "Statement": list(statements)}


def add_service_role(
    scope: Construct,
    resource_id: str,
    *,
    service: str,
    description: str,
    statements: Sequence[Mapping[str, Any]],
    tags: Mapping[str, str],
    source_account_condition: bool = True,
    path: str | None = None,
    managed_policies: Sequence[str] = (),
    actions: Sequence[str] = ("sts:AssumeRole",),
) -> CfnResource:
    """Add a role that one AWS service assumes, with its policy inline.

    The policy is part of the role, so whatever refers to the role is created after its permissions and
    deleted before them. `source_account_condition` limits the service to requests for this account; turn it
    off only for a service that is not known to state the account. `path` is the role's; None: `/`.
    `managed_policies` are names of AWS's own; `actions` are those of the trust.
    """
    condition = {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
    trust = statement(
        actions,
        None,
        principal={"Service": service},
        condition=condition if source_account_condition else None,
    )
    properties = {
        "AssumeRolePolicyDocument": policy([trust]),
        "Description": description,
        "ManagedPolicyArns": [
            sub(f"arn:${{AWS::Partition}}:iam::aws:policy/{name}") for name in managed_policies
        ]
        or None,
        "Path": path,
        "Policies": [{"PolicyName": "permissions", "PolicyDocument": policy(statements)}]
        if statements
        else None,
        "Tags": tag_list(tags),
    }
    return add_resource(scope, resource_id, "AWS::IAM::Role", properties)
