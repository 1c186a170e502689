"""Functions that create CloudFormation resources and policies.

Every resource is a plain `CfnResource` with its type and its properties as in CloudFormation's reference. The
typed classes of `aws_cdk` would only add time: the import of nine service modules takes up to 40 % of the
synthesis of a small app. With typed classes, nested properties would be dictionaries too. Tests use cfn-lint
to compare names and types of all properties with the services' schemas. Run cdk-nag on the synthesized
template (`CfnInclude`), as cdk-nag's guide describes, because cdk-nag's rules find only typed classes in an
app, and this library does not use them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aws_cdk import CfnResource, RemovalPolicy
from constructs import Construct, IDependable

from ultracluster.moved import add_old_names
from ultracluster.retention import Retention

_REMOVAL_POLICIES = {
    Retention.RETAIN: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    Retention.ALWAYS: RemovalPolicy.RETAIN,
    Retention.DISPOSABLE: RemovalPolicy.DESTROY,
}

#: A rule without effect. As the only egress rule, it replaces the rule for all traffic that EC2 adds to a
#: group without egress rules. Source:
#: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-securitygroup.html
NO_EGRESS: dict[str, Any] = {"CidrIp": "127.0.0.1/32", "IpProtocol": "-1", "Description": "No egress"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tagged:
    """Props of constructs whose resources have tags.

    Attributes:
        tags: Tags of every resource that supports tags, and of launched instances. Keep the tags stable.
    """

    tags: Mapping[str, str] = field(default_factory=dict)


def https_rule(cidr: str, description: str) -> dict[str, Any]:
    """Return a security group rule that allows HTTPS for a CIDR block."""
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

    Properties with the value None are omitted, also in nested mappings. Without `retention`, no policy is
    rendered, and CloudFormation deletes the resource with its stack.
    """
    resource = CfnResource(scope, resource_id, type=resource_type, properties=without_none(properties))
    if retention is not None:
        resource.apply_removal_policy(_REMOVAL_POLICIES[retention])
    if depends_on:
        resource.node.add_dependency(*depends_on)
    return resource


def add_cluster_metadata(
    cluster: CfnResource, scripts_object_keys: Sequence[str], reserved_instances: Mapping[str, int]
) -> None:
    """Add the scripts and the reservation sizes of the cluster to its CloudFormation metadata."""
    for key, value in cluster_metadata(scripts_object_keys, reserved_instances).items():
        cluster.add_metadata(key, value)


def cluster_metadata(
    scripts_object_keys: Sequence[str], reserved_instances: Mapping[str, int]
) -> dict[str, object]:
    """Return the metadata as a mapping, without empty keys."""
    said = {
        "ultracluster:scripts": list(scripts_object_keys),
        "ultracluster:capacity": dict(sorted(reserved_instances.items())),
    }
    return {key: value for key, value in said.items() if value}


def without_none(value: Any) -> Any:
    """Return a value without the mapping keys whose value is None."""
    if isinstance(value, Mapping):
        return {key: without_none(inner) for key, inner in value.items() if inner is not None}
    return [without_none(inner) for inner in value] if isinstance(value, list) else value


def attribute(resource: CfnResource, name: str) -> str:
    """Return an attribute of a resource (`Fn::GetAtt`) as a string token."""
    return resource.get_att(name).to_string()


def sub(text: str) -> dict[str, str]:
    """Return a text with CloudFormation pseudo parameters (`${AWS::Region}`)."""
    return {"Fn::Sub": text}


def tag_list(tags: Mapping[str, str], name: str | None = None) -> list[dict[str, str]]:
    """Return tags as a CloudFormation list, sorted by key, with the Name tag that consoles show."""
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
    """Add a log group that is deleted with its stack."""
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
    """Return one statement of an IAM, bucket or key policy."""
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
    """Return a list with one statement; empty if there are no resources."""
    return [statement(actions, resources, sid=sid, condition=condition)] if resources else []


def tls_only(actions: Sequence[str], resources: object, *, sid: str) -> dict[str, Any]:
    """Return a statement of a resource policy that denies requests without TLS."""
    condition = {"Bool": {"aws:SecureTransport": "false"}}
    return statement(actions, resources, sid=sid, effect="Deny", principal="*", condition=condition)


def policy(statements: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a policy document."""
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
    """Add a KMS key with rotation and an alias. The account's IAM policies and `statements` control its use.

    The alias is never retained: with a retained alias, the next creation of the same stack would fail.
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
    """Add a security group; `rules` are its rule properties. Returns the id of the group."""
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
    """Add a role that one AWS service assumes, with an inline policy.

    The policy is part of the role, so resources that refer to the role are created after the permissions and
    deleted before them. `source_account_condition` limits the service to requests for this account; set it to
    False only for a service that may not send the account. `path` is the path of the role; None means `/`.
    `managed_policies` are names of AWS managed policies. `actions` are the actions of the trust policy.
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


add_old_names(__name__)
