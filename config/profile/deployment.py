"""Settings for the deployment into an AWS account with its own requirements."""

from typing import Annotated

from pydantic import Field

from config.profile.base import BOUNDARY, QUALIFIER, Model

DEFAULT_QUALIFIER = "hnb659fds"
"""Default qualifier of `cdk bootstrap` (its template, Parameters.Qualifier)."""


class StackDeployment(Model):
    """Requirements of an AWS account for everything that is deployed to it."""

    permissions_boundary: Annotated[
        str | None,
        Field(
            pattern=BOUNDARY,
            max_length=512,
            description="Permissions boundary of every IAM role of the stack: the ARN of a managed policy, or its name "
            "in the account of the deployment.",
        ),
    ] = None
    qualifier: Annotated[
        str | None,
        Field(
            pattern=QUALIFIER,
            description="Qualifier of the CDK bootstrap that deploys the stack, as set with "
            "`cdk bootstrap --qualifier`; default: the default qualifier of the CDK.",
        ),
    ] = None
