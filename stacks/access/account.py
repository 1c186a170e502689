"""Account settings of a deployment: the CDK bootstrap and the permissions boundary."""

from __future__ import annotations

import aws_cdk as cdk

from config.profile.model import Profile


def choose_bootstrap(app: cdk.App, profile: Profile) -> None:
    """Set the profile's CDK bootstrap qualifier; call this before the stack is created.

    The app's context sets the qualifier. A synthesizer passed from Python would be copied by Node, and its
    bucket and roles could not be read in Python.
    """
    qualifier = profile.deployment.qualifier if profile.deployment else None
    if qualifier:
        app.node.set_context("@aws-cdk/core:bootstrapQualifier", qualifier)


def boundary_of(profile: Profile) -> cdk.PermissionsBoundary | None:
    """Return the permissions boundary of all roles in the stack; None if the profile does not set one.

    CDK applies it to each role when it writes the template.
    """
    declared = profile.deployment.permissions_boundary if profile.deployment else None
    if declared is None:
        return None
    if declared.startswith("arn:"):
        return cdk.PermissionsBoundary.from_arn(declared)
    return cdk.PermissionsBoundary.from_name(declared)
