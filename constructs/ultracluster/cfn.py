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
from dataclasses import dataclass, field
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Tagged:
    """Props of constructs whose resources have tags.

    Attributes:
        tags: Tags of every resource that takes them, and of what it launches. Keep them stable.
    """

    tags: Mapping[str, str] = field(default_factory=dict)


def https_rule(cidr: str, description: str) -> dict[str, Any]:
    """A rule of a security group for HTTPS with a block of addresses."""
    return {"CidrIp": cidr, "IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "Description": description}


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

    Properties whose value is None are left out, nested ones too. Without `retention` neither policy is
    rendered and CloudFormation deletes the resource with its stack.
    """
    resource = CfnResource(scope, resource_id, type=resource_type, properties=given(properties))
    if retention is not None:
        resource.apply_removal_policy(_REMOVAL_POLICIES[retention])
    if depends_on:
        resource.node.add_dependency(*depends_on)
    return resource


def add_cluster_metadata(
    cluster: CfnResource, scripts_object_keys: Sequence[str], reserved_instances: Mapping[str, int]
) -> None:
    """Say in a cluster's metadata which scripts its machines need and what its reservations hold."""
    for key, value in cluster_metadata(scripts_object_keys, reserved_instances).items():
        cluster.add_metadata(key, value)


def cluster_metadata(
    scripts_object_keys: Sequence[str], reserved_instances: Mapping[str, int]
) -> dict[str, object]:
    """The same as a mapping; without the keys that would say nothing."""
    said = {
        "ultracluster:scripts": list(scripts_object_keys),
        "ultracluster:capacity": dict(sorted(reserved_instances.items())),
    }
    return {key: value for key, value in said.items() if value}


def given(value: Any) -> Any:
    """A value without the keys of its mappings that hold None."""
    if isinstance(value, Mapping):
        return {key: given(inner) for key, inner in value.items() if inner is not None}
    return [given(inner) for inner in value] if isinstance(value, list) else value


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
    return {
        "Sid": sid,
        "Effect": effect,
        "Principal": principal,
        "Action": list(actions),
        "Resource": resources,
        "Condition": condition,
    }


def allowed(
    actions: Sequence[str], resources: object, *, sid: str, condition: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """One statement, or none where there is nothing to allow the actions on."""
    return [statement(actions, resources, sid=sid, condition=condition)] if resources else []


def tls_only(actions: Sequence[str], resources: object, *, sid: str) -> dict[str, Any]:
    """A statement of a resource's policy that refuses requests without TLS."""
    condition = {"Bool": {"aws:SecureTransport": "false"}}
    return statement(actions, resources, sid=sid, effect="Deny", principal="*", condition=condition)


def policy(statements: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A policy document."""
    return {"Version": "2012-10-17", "Statement": list(statements)}


def add_key(
    scope: Construct,
    *,
    alias: str,
    description: str,
    statements: Sequence[Mapping[str, Any]],
    retention: Retention,
    tags: Mapping[str, str],
) -> CfnResource:
    """Add a rotated KMS key with an alias, which IAM policies of the account govern beside `statements`.

    The alias is never retained: the name would stay taken, and the next creation of the same stack fail.
    """
    root = sub("arn:${AWS::Partition}:iam::${AWS::AccountId}:root")
    account = statement(["kms:*"], "*", sid="Account", principal={"AWS": root})
    properties = {
        "Description": description,
        "EnableKeyRotation": True,
        "KeyPolicy": policy([account, *statements]),
        "Tags": tag_list(tags, alias),
    }
    key = add_resource(scope, "Resource", "AWS::KMS::Key", properties, retention=retention)
    named = {"AliasName": f"alias/{alias}", "TargetKeyId": key.ref}
    add_resource(scope, "Alias", "AWS::KMS::Alias", named)
    return key


def add_security_group(
    scope: Construct,
    resource_id: str,
    *,
    vpc_id: str,
    description: str,
    rules: Mapping[str, Any],
    tags: list[dict[str, str]],
    retention: Retention | None = None,
) -> str:
    """Add a security group; `rules` are properties of it. Gives its id."""
    properties = {"GroupDescription": description, "VpcId": vpc_id, **rules, "Tags": tags}
    kind = "AWS::EC2::SecurityGroup"
    return attribute(add_resource(scope, resource_id, kind, properties, retention=retention), "GroupId")


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
