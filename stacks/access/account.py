"""What an account's owners ask of deployments: the bootstrap that is used, and a boundary of every role."""

from __future__ import annotations

import aws_cdk as cdk

from config.profile.model import Profile


def choose_bootstrap(app: cdk.App, profile: Profile) -> None:
    """Use the roles and the bucket of the profile's own bootstrap, before the stack is made.

    By context and not by a synthesizer of the stack's own: what Node binds is a copy of that one, and Python
    is given the other, which refuses to tell its bucket and roles.
    """
    qualifier = profile.deployment.qualifier if profile.deployment else None
    if qualifier:
        app.node.set_context("@aws-cdk/core:bootstrapQualifier", qualifier)


def boundary_of(profile: Profile) -> cdk.PermissionsBoundary | None:
    """The boundary of every role of the stack, CDK's own ones too; None where none is asked for.

    CDK sets it in Node when it writes the template, role by role, whoever made the role.
    """
    stated = profile.deployment.permissions_boundary if profile.deployment else None
    if stated is None:
        return None
    if stated.startswith("arn:"):
        return cdk.PermissionsBoundary.from_arn(stated)
    return cdk.PermissionsBoundary.from_name(stated)
