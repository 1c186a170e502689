"""Permissions in the policies of a stack: principal, action, resource and condition."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from .stack import Resource, Stack, listed, mappings, named, owner

Kind: TypeAlias = Literal[
    "permission", "trust", "resource-policy", "managed-policy", "boundary", "cluster-access"
]
ANYONE: Final = "anyone"


class Grant(NamedTuple):
    """One action on one resource. Fields that a type of grant does not have are empty.

    `holder` is the logical id of the role that has the permission, or of the resource that has the policy. If
    the holder is not in the stack, `holder` is its name.
    """

    holder: str
    kind: Kind
    effect: str = "Allow"
    principal: str = ""
    action: str = ""
    resource: str = ""
    condition: str = ""


# resource type to the property with the policy, and the property that names the resource of the policy
_POLICIES: Final[Mapping[str, tuple[str, str | None]]] = {
    "AWS::APS::ResourcePolicy": ("PolicyDocument", "WorkspaceArn"),
    "AWS::EC2::VPCEndpoint": ("PolicyDocument", None),
    "AWS::ECR::RegistryPolicy": ("PolicyText", None),
    "AWS::ECR::Repository": ("RepositoryPolicyText", None),
    "AWS::EFS::FileSystem": ("FileSystemPolicy", None),
    "AWS::KMS::Key": ("KeyPolicy", None),
    "AWS::Logs::ResourcePolicy": ("PolicyDocument", None),
    "AWS::S3::AccessPoint": ("Policy", None),
    "AWS::S3::BucketPolicy": ("PolicyDocument", "Bucket"),
    "AWS::S3Express::BucketPolicy": ("PolicyDocument", "Bucket"),
    "AWS::SNS::TopicPolicy": ("PolicyDocument", "Topics"),
    "AWS::SQS::QueuePolicy": ("PolicyDocument", "Queues"),
    "AWS::SecretsManager::ResourcePolicy": ("ResourcePolicy", "SecretId"),
}
_IDENTITIES: Final = ("AWS::IAM::Role", "AWS::IAM::User", "AWS::IAM::Group")
_ATTACHED: Final = (
    "AWS::IAM::GroupPolicy",
    "AWS::IAM::ManagedPolicy",
    "AWS::IAM::Policy",
    "AWS::IAM::RolePolicy",
    "AWS::IAM::UserPolicy",
)
_ATTACHED_TO: Final = ("Roles", "Users", "Groups", "RoleName", "UserName", "GroupName")


def grants_of(stack: Stack) -> set[Grant]:
    """Return all grants of a stack."""
    return {grant for name, resource in stack.items() for grant in _grants(name, resource)}


def _grants(name: str, resource: Resource) -> Iterator[Grant]:
    kind, properties = resource
    if kind in _IDENTITIES:
        yield from _of_identity(name, properties)
    elif kind in _ATTACHED:
        holders = [named(item) for key in _ATTACHED_TO for item in listed(properties.get(key))]
        for holder in holders or [name]:
            yield from _statements(holder, "permission", properties.get("PolicyDocument"))
    elif kind == "AWS::Lambda::Permission":
        source = ", ".join(
            f"{key} {properties[key]}"
            for key in ("SourceAccount", "SourceArn", "PrincipalOrgID")
            if key in properties
        )
        yield Grant(
            named(properties.get("FunctionName")), "resource-policy",
            principal=_anyone(str(properties.get("Principal"))), action=str(properties.get("Action")),
            condition=source,
        )  # fmt: skip
    elif kind == "AWS::EKS::AccessEntry":
        yield from _of_access_entry(properties)
    elif kind in _POLICIES:
        policy, of = _POLICIES[kind]
        for held in listed(properties.get(of)) if of else [name]:
            yield from _statements(named(held), "resource-policy", properties.get(policy))


def _of_identity(name: str, properties: Mapping[str, Any]) -> Iterator[Grant]:
    yield from _statements(name, "trust", properties.get("AssumeRolePolicyDocument"))
    for policy in mappings(properties.get("Policies")):
        yield from _statements(name, "permission", policy.get("PolicyDocument"))
    for arn in listed(properties.get("ManagedPolicyArns")):
        yield Grant(name, "managed-policy", action=str(arn))
    if properties.get("PermissionsBoundary"):
        yield Grant(name, "boundary", action=str(properties["PermissionsBoundary"]))


def _of_access_entry(properties: Mapping[str, Any]) -> Iterator[Grant]:
    """Yield permissions inside a Kubernetes cluster: EKS access policies, and RBAC groups."""
    holder, cluster = named(properties.get("PrincipalArn")), named(properties.get("ClusterName"))
    for policy in mappings(properties.get("AccessPolicies")):
        scope = policy.get("AccessScope")
        spaces = listed(scope.get("Namespaces")) if isinstance(scope, dict) else []
        where = [f"{cluster}, namespace {space}" for space in spaces] or [cluster]
        for place in where:
            yield Grant(holder, "cluster-access", action=str(policy.get("PolicyArn")), resource=place)
    for group in listed(properties.get("KubernetesGroups")):
        yield Grant(holder, "cluster-access", action=f"the group {group}", resource=cluster)


def _statements(holder: str, kind: Kind, document: Any) -> Iterator[Grant]:
    if isinstance(document, str):  # some services accept their policy as text
        try:
            document = json.loads(document)
        except ValueError:
            yield Grant(holder, kind, action=document)
            return
    if not isinstance(document, dict):
        return
    for statement in mappings(document.get("Statement")):
        condition = statement.get("Condition")
        condition_text = json.dumps(condition, sort_keys=True, ensure_ascii=False) if condition else ""
        for principal in _principals(statement):
            for action in _either(statement, "Action"):
                for resource in _either(statement, "Resource"):
                    effect = str(statement.get("Effect"))
                    yield Grant(holder, kind, effect, principal, action, resource, condition_text)


def _either(statement: Mapping[str, Any], key: str) -> list[str]:
    """Return the items of Action or Resource; return one item `* but ...` for NotAction or NotResource."""
    if f"Not{key}" in statement:
        return [f"* but {', '.join(str(item) for item in listed(statement[f'Not{key}']))}"]
    return [str(item) for item in listed(statement.get(key))] or [""]


def _principals(statement: Mapping[str, Any]) -> Iterator[str]:
    but = "NotPrincipal" in statement
    declared = statement.get("NotPrincipal" if but else "Principal")
    if declared is None:
        yield ""
        return
    pairs = declared.items() if isinstance(declared, dict) else [("", declared)]
    found = [_anyone(str(owner(item) or item)) for _, value in pairs for item in listed(value)]
    yield from [f"{ANYONE} but {', '.join(found)}"] if but else found


def _anyone(principal: str) -> str:
    return ANYONE if principal == "*" else principal
