"""Template rules for IAM roles: the trust policy must allow the service that uses the role."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from config.rules.deployed import services as codes
from scripts.cloud.validation.later import is_later

from .registry import Resource, Violation, rule


@dataclass(frozen=True, slots=True)
class _Use:
    """A property that contains a role, and the service that assumes it; `*` in `path` matches list items."""

    path: str
    service: str


# Services that check the trust policy of a role, according to the documentation or an error message:
# * Lambda: lambda-intro-execution-role.html
# * EKS: cluster-iam-role.html, create-node-role.html (eksctl#3290), pod-execution-role.html, pod-id-role.html
#   (terraform-provider-aws#41483)
# * SageMaker: sagemaker-hyperpod-prerequisites-iam.html
_USES: Mapping[str, _Use] = {
    "AWS::EKS::Cluster": _Use("RoleArn", "eks"),
    "AWS::EKS::FargateProfile": _Use("PodExecutionRoleArn", "eks-fargate-pods"),
    "AWS::EKS::Nodegroup": _Use("NodeRole", "ec2"),
    "AWS::EKS::PodIdentityAssociation": _Use("RoleArn", "pods.eks"),
    "AWS::EKS::Addon": _Use("PodIdentityAssociations/*/RoleArn", "pods.eks"),
    "AWS::Lambda::Function": _Use("Role", "lambda"),
    "AWS::SageMaker::Cluster": _Use("InstanceGroups/*/ExecutionRole", "sagemaker"),
}


@rule(codes.ROLE_TRUSTS, *_USES)
def role_trusts_the_service(resource: Resource) -> Iterator[Violation]:
    """Check that the stack's roles trust the service that assumes them."""
    use = _USES[resource.type]
    for path, value in _values(resource.properties, use.path.split("/"), ()):
        role = resource.named(value, "AWS::IAM::Role")
        if (
            role is not None
            and _trusts(role.properties.get("AssumeRolePolicyDocument"), use.service) is False
        ):
            principal = f"{use.service}.amazonaws.com"
            message = f"the role's trust policy does not allow {principal} to assume it"
            yield Violation(
                path, message, f"add the principal {{Service: {principal}}} to the role's trust policy"
            )


def _values(value: Any, path: list[str], at: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    if not path:
        yield "/".join(at), value
    elif path[0] == "*":
        for number, item in enumerate(value if isinstance(value, list) else ()):
            yield from _values(item, path[1:], (*at, str(number)))
    elif isinstance(value, Mapping) and path[0] in value:
        yield from _values(value[path[0]], path[1:], (*at, path[0]))


def _trusts(document: Any, service: str) -> bool | None:
    """Return whether a trust policy allows a service to assume the role; None if a part is not known yet."""
    if isinstance(document, str):
        try:
            document = json.loads(document)
        except json.JSONDecodeError:
            return None
    statements = _list(document.get("Statement")) if isinstance(document, Mapping) else []
    allowed = [s for s in statements if isinstance(s, Mapping) and s.get("Effect") == "Allow" and _assumes(s)]
    trusted = [principal for statement in allowed for principal in _services(statement.get("Principal"))]
    if any(is_later(principal) for principal in trusted):
        return None
    # amazonaws.com.cn in China
    return any(p == "*" or p.startswith(f"{service}.amazonaws.com") for p in trusted)


def _assumes(statement: Mapping[str, Any]) -> bool:
    return any(
        action in ("*", "sts:*", "sts:AssumeRole") or is_later(action)
        for action in _list(statement.get("Action"))
    )


def _services(principal: Any) -> list[str]:
    if isinstance(principal, Mapping):
        return [str(name) for name in _list(principal.get("Service"))]
    return [str(principal)]


def _list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
