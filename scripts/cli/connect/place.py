"""Account and Region of a deployed cluster, on AWS or in the running embedded cloud."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    EndpointConnectionError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
)

from config.profile.model import Profile
from scripts.cli.connect.errors import ConnectError
from scripts.cloud import state
from scripts.cloud.process import Cloud

_PATIENCE = Config(connect_timeout=10, read_timeout=30, retries={"max_attempts": 3})
_LOG_IN = "run `aws sso login` or `aws configure`, and set AWS_PROFILE"


@dataclass(frozen=True, kw_only=True)
class Place:
    """A deployed stack: clients in its Region, and its outputs."""

    client: Callable[[str], Any]
    region: str
    account: str
    environment: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)


def find_stack(profile: Profile, *, embedded: bool, deploy_command: str) -> Place:
    """Return the deployed stack of a profile; raises ConnectError if it does not exist in the account."""
    client, environment = _clients(profile.region, embedded=embedded)
    with _in_words(profile.region):
        account = client("sts").get_caller_identity()["Account"]
    if profile.account not in (None, account):
        raise ConnectError(
            f"the profile is for account {profile.account}, but the credentials are for {account}",
            f"use credentials of account {profile.account}: set AWS_PROFILE",
        )
    with _in_words(profile.region):
        outputs = _outputs(client("cloudformation"), profile.name, account, profile.region, deploy_command)
    return Place(
        client=client, region=profile.region, account=account, environment=environment, outputs=outputs
    )


def _clients(region: str, *, embedded: bool) -> tuple[Callable[[str], Any], Mapping[str, str]]:
    if not embedded:
        try:
            session: Any = boto3.session.Session(region_name=region)
        except ProfileNotFound as error:
            raise ConnectError(
                str(error).lower(), "`aws configure list-profiles` lists the profiles"
            ) from None
        return lambda service: session.client(service, config=_PATIENCE), {}
    running = state.read()
    if running is None:
        raise ConnectError(
            "the embedded cloud does not run", "start the embedded cloud with `ultracluster cloud`"
        )
    cloud = Cloud(running.endpoint, running.account)
    return lambda service: cloud.client(service, region), cloud.environment()


@contextmanager
def _in_words(region: str) -> Iterator[None]:
    """Convert AWS errors into ConnectError with a hint."""
    try:
        yield
    except (NoCredentialsError, PartialCredentialsError):
        raise ConnectError("there are no AWS credentials", _LOG_IN) from None
    except EndpointConnectionError as error:
        raise ConnectError(
            f"AWS cannot be reached: {_first_line(error)}", f"check the network and the Region {region}"
        ) from None
    except ClientError as error:
        code, said = error.response["Error"]["Code"], error.response["Error"].get("Message", "")
        denied = "denied" in code.lower() or code == "UnauthorizedOperation"
        expired = "expired" in code.lower() or "Token" in code
        hint = _LOG_IN if expired else "request this permission (docs/access.md lists all permissions)"
        raise ConnectError(
            f"AWS returns {code}: {said}".rstrip(": "),
            hint if denied or expired else "try again, or follow the message",
        ) from None
    except BotoCoreError as error:
        raise ConnectError(f"AWS cannot be queried: {_first_line(error)}", _LOG_IN) from None


asking = _in_words
"""`_in_words` under a public name, for other modules."""


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _outputs(
    cloudformation: Any, name: str, account: str, region: str, deploy_command: str
) -> dict[str, str]:
    try:
        (stack,) = cloudformation.describe_stacks(StackName=name)["Stacks"]
    except ClientError as error:
        if error.response["Error"]["Code"] != "ValidationError":
            raise
        raise ConnectError(
            f"the stack {name} is not deployed in {region} of account {account}",
            f"deploy the stack (`{deploy_command}`), or use credentials of the account that has the stack",
        ) from None
    if stack["StackStatus"].startswith("DELETE"):
        raise ConnectError(
            f"the stack {name} is {stack['StackStatus']}", f"deploy the stack: `{deploy_command}`"
        )
    return {one["OutputKey"]: one["OutputValue"] for one in stack.get("Outputs", ())}
