"""Asking a live account: throttled calls are tried again, pages are put together, refusals understood."""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError
from botocore.stub import Stubber

from scripts.cli.images.ask import UnreachableError
from scripts.cli.preflight import account as accounts
from scripts.cli.preflight.account import asked_who, find_account, home_of, partition_of
from scripts.cli.preflight.asking import (
    Ask,
    GoneError,
    MissingError,
    Shared,
    UnansweredError,
    action_of,
    call_name,
)
from scripts.cli.preflight.checks import Check, Verdict, run
from tests.preflight.fake_cloud import ACCOUNT, NOW, REGION, FakeCloud, refusal


@pytest.mark.parametrize(
    ("code", "kind", "says"),
    [
        ("UnauthorizedOperation", UnansweredError, "needs ec2:DescribeVpcs"),
        ("RequestLimitExceeded", UnansweredError, "after 8 attempts"),
        ("InvalidVpcID.NotFound", MissingError, "InvalidVpcID.NotFound"),
        ("RequestExpired", GoneError, "RequestExpired"),
        ("InternalError", UnansweredError, "InternalError: no"),
    ],
)
def test_a_refusal_is_reported_for_what_it_means(code: str, kind: type[Exception], says: str) -> None:
    cloud = FakeCloud({"ec2:DescribeVpcs": lambda _: refusal(code)})
    with pytest.raises(kind, match=says):
        cloud.account().ask("ec2", "DescribeVpcs", None, {})


def test_pages_are_put_together_and_moments_written_as_the_cli_prints_them() -> None:
    pages = {
        None: {
            "Aliases": [{"AliasName": "alias/a", "CreationDate": NOW}],
            "Truncated": True,
            "NextMarker": "2",
        },
        "2": {"Aliases": [{"AliasName": "alias/b"}], "Truncated": False},
    }
    cloud = FakeCloud({"kms:ListAliases": lambda params: pages[params.get("Marker")]})
    reported = cloud.account().ask("kms", "ListAliases", None, {})
    assert reported == {
        "Aliases": [
            {"AliasName": "alias/a", "CreationDate": "2027-01-10T00:00:00+00:00"},
            {"AliasName": "alias/b"},
        ]
    }


@pytest.mark.long
def test_a_throttled_call_waits_and_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "example")
    client = accounts._aws()("kms", REGION)
    bodies = [b'{"__type": "ThrottlingException", "message": "slow down"}'] * 2 + [b'{"Aliases": []}']
    sent: list[str] = []

    def send(request: Any, **_: Any) -> AWSResponse:
        body = bodies[len(sent)]
        sent.append(request.url)
        status = 400 if b"Throttling" in body else 200
        return AWSResponse(request.url, status, HTTPHeaders(), _Raw(body))

    client.meta.events.register("before-send.kms.*", send)
    asked = accounts.Account(number=ACCOUNT, clients=lambda _s, _r: client, region=REGION, now=NOW)
    assert asked.ask("kms", "ListAliases", None, {}) == {"Aliases": []}
    assert len(sent) == 3


class _Raw:
    def __init__(self, body: bytes) -> None:
        self._body = body

    def stream(self, **_: Any) -> Any:
        yield self._body


def test_a_question_of_several_checks_is_asked_once() -> None:
    gate, calls = threading.Event(), []

    class Slow:
        def ask(self, service: str, operation: str, region: str | None, parameters: dict[str, Any]) -> Any:
            calls.append(operation)
            gate.wait(5)
            return {"n": len(calls)}

    shared = Shared(Slow())
    reported: list[Any] = []
    threads = [
        threading.Thread(target=lambda: reported.append(shared("ec2", "DescribeVpcs"))) for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    gate.set()
    for thread in threads:
        thread.join()
    assert reported == [{"n": 1}] * 5
    assert calls == ["DescribeVpcs"]
    assert shared("ec2", "DescribeVpcs", VpcIds=["vpc-12345678"]) == {"n": 2}


def _sts(region: str, answer: dict[str, Any] | str) -> Any:
    client = boto3.client("sts", region_name=region, aws_access_key_id="a", aws_secret_access_key="b")
    stubber = Stubber(client)
    if isinstance(answer, str):
        stubber.add_client_error("get_caller_identity", answer)
    else:
        stubber.add_response("get_caller_identity", answer)
    stubber.activate()
    return client


def test_a_region_that_is_not_on_is_reported_from_credentials_that_are_wrong() -> None:
    identity = {"Account": ACCOUNT, "UserId": "AIDAEXAMPLE", "Arn": f"arn:aws:iam::{ACCOUNT}:user/ada"}
    clients = {
        "ap-southeast-4": _sts("ap-southeast-4", "InvalidClientTokenId"),
        "us-east-1": _sts("us-east-1", identity),
    }
    who = asked_who("ap-southeast-4", lambda _, region: clients[region])
    assert (who.number, who.on) == (ACCOUNT, False)
    with pytest.raises(UnansweredError, match="ap-southeast-4 is not enabled"):
        who.ask("ec2", "DescribeVpcs", None, {})
    clients = {"us-west-2": _sts("us-west-2", identity)}
    assert asked_who("us-west-2", lambda _, region: clients[region]).on
    clients = {
        "us-west-2": _sts("us-west-2", "InvalidClientTokenId"),
        "us-east-1": _sts("us-east-1", "InvalidClientTokenId"),
    }
    with pytest.raises(ClientError):
        asked_who("us-west-2", lambda _, region: clients[region])


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (NoCredentialsError(), "unable to locate credentials"),
        (EndpointConnectionError(endpoint_url="https://sts.example.com"), "AWS cannot be reached"),
        (refusal("ExpiredToken", "The security token is expired"), "AWS rejects the credentials"),
    ],
)
def test_nobody_to_ask_is_reported_in_one_line(
    error: Exception, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raising(region: str, clients: Any) -> Any:
        raise error

    monkeypatch.setattr(accounts, "asked_who", raising)
    with pytest.raises(UnreachableError, match=says) as reported:
        find_account(REGION, embedded=False)
    assert "\n" not in str(reported.value)
    assert reported.value.hint


def test_places_and_names_are_those_of_the_partition() -> None:
    assert [partition_of(one) for one in ("us-west-2", "us-gov-east-1", "cn-north-1", "us-gov-new-1")] == [
        "aws", "aws-us-gov", "aws-cn", "aws-us-gov",
    ]  # fmt: skip
    assert home_of("ap-southeast-4") == "us-east-1"
    assert (action_of("service-quotas", "GetServiceQuota"), call_name("s3", "HeadBucket")) == (
        "servicequotas:GetServiceQuota", "s3api.head-bucket",
    )  # fmt: skip


def test_once_nobody_answers_any_more_nothing_further_is_asked() -> None:
    asked: list[int] = []

    def judge(number: int, _: Ask) -> Verdict:
        asked.append(number)
        time.sleep(0.01)
        raise GoneError("ExpiredToken")

    checks = [
        Check(service="EC2", subject=str(number), permissions=(), judge=partial(judge, number))
        for number in range(300)
    ]
    with pytest.raises(GoneError):
        run(checks, Shared(FakeCloud().account()))
    assert len(asked) < 150
