"""Send several queries in parallel; a denied query does not fail the other queries."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, NoRegionError, ProfileNotFound

from config.diagnostics import HintedError
from scripts.cli.images.questions import Client, Question
from scripts.cloud import state
from scripts.cloud.process import Cloud

_AT_ONCE = 8
_TRIES = 8
_SHORT = 200


class UnreachableError(HintedError):
    """AWS cannot be queried: the message is the reason, `hint` is the solution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a query.

    If `value` is None, `reason` explains it. `missing` is True if the resource does not exist.
    """

    value: Any = None
    reason: str | None = None
    missing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The queried account: its number, and clients in the profile's Region."""

    number: str
    client: Client


def account(region: str, *, embedded: bool) -> Account:
    """Return the account of the credentials, or of the running embedded cloud."""
    try:
        client = _embedded(region) if embedded else _aws(region)
        number = client("sts").get_caller_identity()["Account"]
    except (NoCredentialsError, NoRegionError) as error:
        raise UnreachableError(
            str(error).rstrip(".").lower(), "sign in, or use the embedded cloud with `--embedded`"
        ) from None
    except ProfileNotFound as error:
        hint = "`aws configure list-profiles` lists the profiles; set AWS_PROFILE to one of them"
        raise UnreachableError(str(error).lower(), hint) from None
    except (BotoCoreError, ClientError) as error:
        raise UnreachableError(
            f"AWS does not answer: {_reported(error)}", "check `aws sts get-caller-identity`"
        ) from None
    return Account(number=number, client=client)


def _aws(region: str) -> Client:
    # throttled calls are repeated after a delay
    config = Config(retries={"mode": "adaptive", "total_max_attempts": _TRIES}, connect_timeout=10)
    session: Any = boto3.session.Session(region_name=region)
    return _kept(lambda service: session.client(service, config=config))


def _embedded(region: str) -> Client:
    running = state.read()
    if running is None:
        raise UnreachableError(
            "the embedded cloud does not run", "start the embedded cloud with `ultracluster cloud`"
        )
    cloud = Cloud(running.endpoint, running.account)
    return _kept(lambda service: cloud.client(service, region))


def _kept(make: Callable[[str], Any]) -> Client:
    """Return a function that caches clients, because threads must not create clients in parallel."""
    lock, made = threading.Lock(), dict[str, Any]()

    def client(service: str) -> Any:
        with lock:
            if service not in made:
                made[service] = make(service)
            return made[service]

    return client


def ask_all(
    questions: Sequence[Question], client: Client, progress: Callable[[int, int], None]
) -> dict[str, Answer]:
    """Return the answers by key; `progress` receives the number of answers and of queries."""
    found: dict[str, Answer] = {}
    if not questions:
        return found
    with ThreadPoolExecutor(max_workers=min(_AT_ONCE, len(questions))) as pool:
        asked = [(question, pool.submit(_ask, question, client)) for question in questions]
        for number, (question, answer) in enumerate(asked, 1):
            found[question.key] = answer.result()
            progress(number, len(questions))
    return found


def _ask(question: Question, client: Client) -> Answer:
    try:
        return Answer(value=question.ask(client))
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        return Answer(
            reason=_reported(error), missing="NotFound" in code or "not found" in _reported(error).lower()
        )
    except BotoCoreError as error:
        return Answer(reason=_reported(error))


def _reported(error: BotoCoreError | ClientError) -> str:
    if isinstance(error, ClientError):
        details = error.response.get("Error", {})
        return f"{details.get('Code', 'error')}: {details.get('Message', '')}"[:_SHORT].rstrip()
    return str(error)[:_SHORT]
