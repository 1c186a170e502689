"""Query a live account with the caller's credentials, or the running embedded cloud."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import boto3
from botocore import xform_name
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    EndpointConnectionError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
)

from config.catalog import catalog
from scripts.cli.images.ask import UnreachableError
from scripts.cli.preflight.asking import GoneError, MissingError, UnansweredError, action_of, plain
from scripts.cloud import state
from scripts.cloud.process import Cloud

Clients = Callable[[str, str], Any]
"""Function that returns a boto3 client for a service and a Region."""

_TRIES = 8
_SHORT = 200
_LOG_IN = (
    "run `aws sso login` or `aws configure`, and set AWS_PROFILE; or use the embedded cloud with `--embedded`"
)
_HOMES = {"aws": "us-east-1", "aws-us-gov": "us-gov-west-1", "aws-cn": "cn-north-1"}
"""For each partition, a Region that is always enabled
(https://docs.aws.amazon.com/accounts/latest/reference/manage-acct-regions.html)."""

_DENIED = frozenset(
    {"AccessDenied", "AccessDeniedException", "AuthorizationError", "AuthorizationErrorException", "403",
     "Forbidden", "UnauthorizedOperation", "UnauthorizedException", "ForbiddenException"}
)  # fmt: skip
_EXPIRED = frozenset({"ExpiredToken", "ExpiredTokenException", "RequestExpired"})
_NOT_HERE = frozenset({"InvalidClientTokenId", "UnrecognizedClientException", "AuthFailure", "OptInRequired"})
"""Error codes of a Region that does not know the credentials, such as a Region that is not enabled."""

_THROTTLED = frozenset(
    {"Throttling", "ThrottlingException", "RequestLimitExceeded", "TooManyRequestsException", "SlowDown",
     "ThrottledException", "RequestThrottled", "RequestThrottledException", "BandwidthLimitExceeded"}
)  # fmt: skip
_MISSING = ("NotFound", "NoSuch", "DoesNotExist", "404", "NonExistentQueue")


@dataclass(frozen=True, kw_only=True)
class Account:
    """The account that is queried. `on` is whether the profile's Region is enabled for the account."""

    number: str
    clients: Clients
    region: str
    on: bool = True
    now: datetime

    def ask(self, service: str, operation: str, region: str | None, parameters: dict[str, Any]) -> Any:
        """Return the answer of one call, with all pages."""
        if not self.on and region is None:
            raise UnansweredError(f"{self.region} is not enabled for the account")
        try:
            return plain(_called(self.clients(service, region or self.region), operation, parameters))
        except ClientError as error:
            raise refusal(service, operation, error) from None
        except BotoCoreError as error:
            raise UnansweredError(str(error)[:_SHORT]) from None


def _called(client: Any, operation: str, parameters: dict[str, Any]) -> Any:
    method = xform_name(operation)
    if client.can_paginate(method):
        return client.get_paginator(method).paginate(**parameters).build_full_result()
    return getattr(client, method)(**parameters)


def refusal(service: str, operation: str, error: ClientError) -> Exception:
    """Return the exception for a service's error response."""
    code, message = error_of(error.response)
    return meaning(service, operation, code, message)


def error_of(response: Any) -> tuple[str, str]:
    """Return the code and message of an error response."""
    error = response.get("Error", {})
    return str(error.get("Code", "error")), str(error.get("Message", ""))


def meaning(service: str, operation: str, code: str, message: str) -> Exception:
    """Return the exception for an error code."""
    if code in _DENIED:
        return UnansweredError(f"needs {action_of(service, operation)}")
    if code in _EXPIRED:
        return GoneError(_text(code, message))
    if code in _THROTTLED:
        return UnansweredError(f"{_text(code, message)} (after {_TRIES} attempts)")
    if any(word in code for word in _MISSING) or (code == "ValidationError" and "does not exist" in message):
        return MissingError(_text(code, message))
    return UnansweredError(_text(code, message))


def _text(code: str, message: str) -> str:
    return f"{code}: {message}"[:_SHORT].rstrip(" :")


def find_account(region: str, *, embedded: bool) -> Account:
    """Return the account of the credentials, or of the running embedded cloud; raises UnreachableError."""
    if embedded:
        return _embedded(region)
    try:
        return asked_who(region, _aws())
    except (NoCredentialsError, PartialCredentialsError) as error:
        raise UnreachableError(str(error).rstrip(".").lower(), _LOG_IN) from None
    except ProfileNotFound as error:
        hint = "`aws configure list-profiles` lists the profiles; set AWS_PROFILE to one of them"
        raise UnreachableError(str(error).lower(), hint) from None
    except EndpointConnectionError as error:
        hint = "preflight queries AWS over the network; `--answers FOLDER` reads recorded answers instead"
        raise UnreachableError(f"AWS cannot be reached: {str(error)[:_SHORT]}", hint) from None
    except (BotoCoreError, ClientError) as error:
        raise UnreachableError(f"AWS rejects the credentials: {str(error)[:_SHORT]}", _LOG_IN) from None


def asked_who(region: str, clients: Clients) -> Account:
    """Return the account of the credentials; if the Region rejects them, query another Region."""
    now = datetime.now(UTC)
    try:
        number = clients("sts", region).get_caller_identity()["Account"]
    except ClientError as error:
        if error_of(error.response)[0] not in _NOT_HERE or region == home_of(region):
            raise
        number = clients("sts", home_of(region)).get_caller_identity()["Account"]
        return Account(number=number, clients=clients, region=region, on=False, now=now)
    return Account(number=number, clients=clients, region=region, now=now)


def home_of(region: str) -> str:
    """Return a Region of the same partition that is enabled for every account."""
    return _HOMES[partition_of(region)]


def partition_of(region: str) -> str:
    """Return the partition of a Region."""
    known = catalog().regions.get(region)
    if known is not None:
        return known.partition
    begins = {"us-gov": "aws-us-gov", "cn": "aws-cn"}
    return next((name for start, name in begins.items() if region.startswith(f"{start}-")), "aws")


def _aws() -> Clients:
    # throttled calls are repeated, at a rate that depends on the responses
    config = Config(
        retries={"mode": "adaptive", "total_max_attempts": _TRIES}, connect_timeout=10, read_timeout=30
    )
    first = Config(retries={"mode": "standard", "total_max_attempts": 3}, connect_timeout=5, read_timeout=15)
    session: Any = boto3.session.Session()
    return kept(
        lambda service, region: session.client(
            service, region_name=region, config=first if service == "sts" else config
        )
    )


def _embedded(region: str) -> Account:
    running = state.read()
    if running is None:
        raise UnreachableError("the embedded cloud does not run", "start it with `ultracluster cloud`")
    cloud = Cloud(running.endpoint, running.account)
    now = datetime.fromisoformat(cloud.simulation("clock")["now"])
    return Account(number=running.account, clients=kept(cloud.client), region=region, now=now)


def kept(make: Clients) -> Clients:
    """Return a function that caches clients, because threads must not create clients in parallel."""
    lock, made = threading.Lock(), dict[tuple[str, str], Any]()

    def client(service: str, region: str) -> Any:
        with lock:
            if (service, region) not in made:
                made[service, region] = make(service, region)
            return made[service, region]

    return client
