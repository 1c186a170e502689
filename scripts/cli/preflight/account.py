"""A live account: the caller's credentials, or the embedded cloud that runs."""

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
"""A boto3 client of a service in a Region."""

_TRIES = 8
_SHORT = 200
_LOG_IN = "`aws sso login` or `aws configure` gets some; AWS_PROFILE says which; `--embedded` asks the embedded cloud"
_HOMES = {"aws": "us-east-1", "aws-us-gov": "us-gov-west-1", "aws-cn": "cn-north-1"}
"""A Region of each partition that needs no opt-in
(https://docs.aws.amazon.com/accounts/latest/reference/manage-acct-regions.html)."""

_DENIED = frozenset(
    {"AccessDenied", "AccessDeniedException", "AuthorizationError", "AuthorizationErrorException", "403",
     "Forbidden", "UnauthorizedOperation", "UnauthorizedException", "ForbiddenException"}
)  # fmt: skip
_EXPIRED = frozenset({"ExpiredToken", "ExpiredTokenException", "RequestExpired"})
_NOT_HERE = frozenset({"InvalidClientTokenId", "UnrecognizedClientException", "AuthFailure", "OptInRequired"})
"""What a Region answers whose credentials it does not know, such as one that is not on for the account."""

_THROTTLED = frozenset(
    {"Throttling", "ThrottlingException", "RequestLimitExceeded", "TooManyRequestsException", "SlowDown",
     "ThrottledException", "RequestThrottled", "RequestThrottledException", "BandwidthLimitExceeded"}
)  # fmt: skip
_MISSING = ("NotFound", "NoSuch", "DoesNotExist", "404", "NonExistentQueue")


@dataclass(frozen=True, kw_only=True)
class Account:
    """Who is asked. `number` is the account's, `on` whether the profile's Region is on for it."""

    number: str
    clients: Clients
    region: str
    on: bool = True
    now: datetime

    def ask(self, service: str, operation: str, region: str | None, parameters: dict[str, Any]) -> Any:
        """The answer of one call, all its pages in one."""
        if not self.on and region is None:
            raise UnansweredError(f"{self.region} is not on for the account")
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
    """What a service's refusal of a question means."""
    code, message = error_of(error.response)
    return meaning(service, operation, code, message)


def error_of(response: Any) -> tuple[str, str]:
    """Code and message of a refusal."""
    told = response.get("Error", {})
    return str(told.get("Code", "error")), str(told.get("Message", ""))


def meaning(service: str, operation: str, code: str, message: str) -> Exception:
    """An exception of `asking` for a refusal by its code."""
    if code in _DENIED:
        return UnansweredError(f"needs {action_of(service, operation)}")
    if code in _EXPIRED:
        return GoneError(_told(code, message))
    if code in _THROTTLED:
        return UnansweredError(f"{_told(code, message)} (asked {_TRIES} times)")
    if any(word in code for word in _MISSING) or (code == "ValidationError" and "does not exist" in message):
        return MissingError(_told(code, message))
    return UnansweredError(_told(code, message))


def _told(code: str, message: str) -> str:
    return f"{code}: {message}"[:_SHORT].rstrip(" :")


def find_account(region: str, *, embedded: bool) -> Account:
    """The account of the caller's credentials, or of the embedded cloud that runs; UnreachableError."""
    if embedded:
        return _embedded(region)
    try:
        return asked_who(region, _aws())
    except (NoCredentialsError, PartialCredentialsError) as error:
        raise UnreachableError(str(error).rstrip(".").lower(), _LOG_IN) from None
    except ProfileNotFound as error:
        hint = "`aws configure list-profiles` tells which there are; AWS_PROFILE says which is meant"
        raise UnreachableError(str(error).lower(), hint) from None
    except EndpointConnectionError as error:
        hint = "preflight asks AWS over the network; `--answers FOLDER` reads what somebody has recorded"
        raise UnreachableError(f"no way to AWS: {str(error)[:_SHORT]}", hint) from None
    except (BotoCoreError, ClientError) as error:
        raise UnreachableError(
            f"AWS does not accept the credentials: {str(error)[:_SHORT]}", _LOG_IN
        ) from None


def asked_who(region: str, clients: Clients) -> Account:
    """Who the credentials are of: asked in the Region, or elsewhere where that one does not know them."""
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
    """A Region of the same partition that is on for every account."""
    return _HOMES[partition_of(region)]


def partition_of(region: str) -> str:
    """The partition that a Region belongs to."""
    known = catalog().regions.get(region)
    if known is not None:
        return known.partition
    begins = {"us-gov": "aws-us-gov", "cn": "aws-cn"}
    return next((name for start, name in begins.items() if region.startswith(f"{start}-")), "aws")


def _aws() -> Clients:
    # throttled calls wait and are tried again, at a pace that the answers set
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
        raise UnreachableError("no embedded cloud runs", "start one with `ultracluster cloud`")
    cloud = Cloud(running.endpoint, running.account)
    now = datetime.fromisoformat(cloud.world("clock")["now"])
    return Account(number=running.account, clients=kept(cloud.client), region=region, now=now)


def kept(make: Clients) -> Clients:
    """One client of each service and Region: threads may use one together, and must not make one together."""
    lock, made = threading.Lock(), dict[tuple[str, str], Any]()

    def client(service: str, region: str) -> Any:
        with lock:
            if (service, region) not in made:
                made[service, region] = make(service, region)
            return made[service, region]

    return client
