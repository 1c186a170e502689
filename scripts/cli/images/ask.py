"""Asking: several questions at once, each answered or not; one that is denied fails nothing."""

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
    """Nobody can be asked at all: the message says why, `hint` what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was told; where nothing was, `reason` says why and `missing` whether there is no such thing."""

    value: Any = None
    reason: str | None = None
    missing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Who is asked: the account's number, and clients of the profile's Region."""

    number: str
    client: Client


def account(region: str, *, embedded: bool) -> Account:
    """The account of the caller's credentials, or of the embedded cloud that runs."""
    try:
        client = _embedded(region) if embedded else _aws(region)
        number = client("sts").get_caller_identity()["Account"]
    except (NoCredentialsError, NoRegionError) as error:
        raise UnreachableError(
            str(error).rstrip(".").lower(), "sign in, or ask the embedded cloud with `--embedded`"
        ) from None
    except ProfileNotFound as error:
        hint = "`aws configure list-profiles` tells which there are; AWS_PROFILE says which is meant"
        raise UnreachableError(str(error).lower(), hint) from None
    except (BotoCoreError, ClientError) as error:
        raise UnreachableError(
            f"AWS does not answer: {_told(error)}", "see `aws sts get-caller-identity`"
        ) from None
    return Account(number=number, client=client)


def _aws(region: str) -> Client:
    # throttled calls wait and are tried again
    config = Config(retries={"mode": "adaptive", "total_max_attempts": _TRIES}, connect_timeout=10)
    session: Any = boto3.session.Session(region_name=region)
    return _kept(lambda service: session.client(service, config=config))


def _embedded(region: str) -> Client:
    running = state.read()
    if running is None:
        raise UnreachableError("no embedded cloud runs", "start one with `ultracluster cloud`")
    cloud = Cloud(running.endpoint, running.account)
    return _kept(lambda service: cloud.client(service, region))


def _kept(make: Callable[[str], Any]) -> Client:
    """One client of each service: several threads may use one, and none may make one beside another."""
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
    """The answers by their questions' keys; `progress` is told how many are there, and of how many."""
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
        return Answer(reason=_told(error), missing="NotFound" in code or "not found" in _told(error).lower())
    except BotoCoreError as error:
        return Answer(reason=_told(error))


def _told(error: BotoCoreError | ClientError) -> str:
    if isinstance(error, ClientError):
        told = error.response.get("Error", {})
        return f"{told.get('Code', 'error')}: {told.get('Message', '')}"[:_SHORT].rstrip()
    return str(error)[:_SHORT]
