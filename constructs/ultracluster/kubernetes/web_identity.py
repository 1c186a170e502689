"""Roles for service accounts through the cluster's identity provider (IRSA)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, attribute, policy, sub, tag_list


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityProviderProps(Tagged):
    """Properties of an identity provider.

    Attributes:
        issuer_url: The cluster's issuer, with its scheme.
    """

    issuer_url: str


class IdentityProvider(Construct):
    """The cluster's token issuer as an IAM identity provider.

    Attributes:
        arn: The provider.
        issuer: The issuer without the scheme, which is its form in conditions of trust policies.
    """

    def __init__(self, scope: Construct, construct_id: str, props: IdentityProviderProps) -> None:
        """Create the provider; IAM does not need the certificate thumbprints of EKS."""
        super().__init__(scope, construct_id)
        provider = add_resource(
            self,
            "Resource",
            "AWS::IAM::OIDCProvider",
            {
                "Url": props.issuer_url,
                "ClientIdList": ["sts.amazonaws.com"],
                "Tags": tag_list(props.tags),
            },
        )
        self.arn = attribute(provider, "Arn")
        self.issuer = {"Fn::Select": [1, {"Fn::Split": ["//", props.issuer_url]}]}


@dataclass(frozen=True, slots=True, kw_only=True)
class WebIdentityRoleProps(Tagged):
    """Properties of a role for service accounts.

    Attributes:
        description: Purpose of the role.
        provider: The cluster's identity provider.
        service_account: `namespace:name`; `*` matches any text.
        managed_policies: Names of AWS managed policies.
        statements: Further statements.
        trusted_services: Services that can also assume the role.
    """

    description: str
    provider: IdentityProvider
    service_account: str
    managed_policies: Sequence[str] = ()
    statements: Sequence[Mapping[str, Any]] = ()
    trusted_services: Sequence[str] = ()


class WebIdentityRole(Construct):
    """A role that service accounts assume with their tokens.

    The issuer is known only at deployment, and is a key in the trust policy's condition. A key cannot be a
    CloudFormation function, so the whole policy is a text in which `Fn::Sub` inserts the issuer.

    Attributes:
        role_arn: The role.
    """

    def __init__(self, scope: Construct, construct_id: str, props: WebIdentityRoleProps) -> None:
        """Create the role with its permissions inline."""
        super().__init__(scope, construct_id)
        provider = props.provider
        trust = json.dumps(policy(_trust(props)), separators=(",", ":"))
        names = {"Issuer": provider.issuer, "Provider": provider.arn}
        inline = [{"PolicyName": "permissions", "PolicyDocument": policy(props.statements)}]
        role = add_resource(
            self,
            "Resource",
            "AWS::IAM::Role",
            {
                "AssumeRolePolicyDocument": {"Fn::Sub": [trust, names]},
                "Description": props.description,
                "ManagedPolicyArns": [
                    sub(f"arn:${{AWS::Partition}}:iam::aws:policy/{name}") for name in props.managed_policies
                ]
                or None,
                "Policies": inline if props.statements else None,
                "Tags": tag_list(props.tags),
            },
        )
        self.role_arn = attribute(role, "Arn")


def _trust(props: WebIdentityRoleProps) -> list[dict[str, Any]]:
    matches = "StringLike" if "*" in props.service_account else "StringEquals"
    subject = {"${Issuer}:sub": f"system:serviceaccount:{props.service_account}"}
    audience = {"${Issuer}:aud": "sts.amazonaws.com"}
    condition = (
        {matches: {**audience, **subject}}
        if matches == "StringEquals"
        else {"StringEquals": audience, matches: subject}
    )
    trusted: list[dict[str, Any]] = [
        {
            "Effect": "Allow",
            "Principal": {"Federated": "${Provider}"},
            "Action": "sts:AssumeRoleWithWebIdentity",
            "Condition": condition,
        }
    ]
    if props.trusted_services:
        services = {"Service": sorted(props.trusted_services)}
        trusted.append({"Effect": "Allow", "Principal": services, "Action": "sts:AssumeRole"})
    return trusted
