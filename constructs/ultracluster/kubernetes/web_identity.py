"""Roles that service accounts of a Kubernetes cluster take by its own identity provider (IRSA)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, attribute, policy, sub, tag_list


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityProviderProps(Tagged):
    """The identity provider of one cluster.

    Attributes:
        issuer_url: The cluster's issuer, with its scheme.
    """

    issuer_url: str


class IdentityProvider(Construct):
    """The cluster's issuer of tokens, which IAM then trusts.

    Attributes:
        arn: The provider.
        issuer: The issuer without its scheme, as conditions of trust name it.
    """

    def __init__(self, scope: Construct, construct_id: str, props: IdentityProviderProps) -> None:
        """Create the provider; IAM knows the certificates of EKS by itself."""
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
    """A role of service accounts.

    Attributes:
        description: What it is for.
        provider: The cluster's identity provider.
        service_account: `namespace:name`; with `*` in it, all that it matches.
        managed_policies: Names of AWS's own policies.
        statements: Further statements.
        trusted_services: Services that may take it too.
    """

    description: str
    provider: IdentityProvider
    service_account: str
    managed_policies: Sequence[str] = ()
    statements: Sequence[Mapping[str, Any]] = ()
    trusted_services: Sequence[str] = ()


class WebIdentityRole(Construct):
    """A role that service accounts take with their tokens.

    The issuer, which is known at deployment, is a key of the trust's condition: no function can stand there,
    so that the whole policy is a text with the issuer put in.

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
