"""How the stack is deployed into an account that others look after too."""

from typing import Annotated

from pydantic import Field

from config.profile.base import BOUNDARY, QUALIFIER, Model

DEFAULT_QUALIFIER = "hnb659fds"
"""What `cdk bootstrap` takes where nothing is stated (its template, Parameters.Qualifier)."""


class StackDeployment(Model):
    """What an account's owners ask of everything that is deployed there."""

    permissions_boundary: Annotated[
        str | None,
        Field(
            pattern=BOUNDARY,
            max_length=512,
            description="Boundary of every IAM role of the stack: the ARN of a managed policy, or the name of one "
            "in the account that is deployed to.",
        ),
    ] = None
    qualifier: Annotated[
        str | None,
        Field(
            pattern=QUALIFIER,
            description="Qualifier of the CDK bootstrap that deploys the stack, where it is not the default one: "
            "`cdk bootstrap --qualifier`.",
        ),
    ] = None
