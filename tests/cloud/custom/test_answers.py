"""What a provider answers, when it answers, and what comes of it where it does not."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.cloud.custom import invocation
from scripts.cloud.custom.delivery import Provider
from scripts.cloud.custom.environment import Environment
from scripts.cloud.custom.protocol import Request
from scripts.cloud.template.errors import TimedOutError
from tests.cloud.custom.custom_functions import FORGETS, NAMED, REGION, Workshop, events_in, reason

RAISES = """
from recorder import seen

def handler(event, context):
    seen(event)
    raise RuntimeError("out of order")
"""
SLEEPS = """
import time
from recorder import answer, seen

def handler(event, context):
    seen(event)
    try:
        while context.get_remaining_time_in_millis():
            time.sleep(7)
    except Exception:
        answer(event, PhysicalResourceId="must not come here")
"""


@pytest.mark.parametrize(
    ("source", "timeout_s", "runs"),
    [
        # Lambda repeats what failed after one and after three minutes, as long as somebody waits
        (RAISES, 3600, 3),
        (RAISES, 150, 2),
        (RAISES, 30, 1),
        (SLEEPS, 3600, 3),
        (SLEEPS, 100, 1),
        (FORGETS, 3600, 1),
    ],
)
def test_a_provider_that_does_not_answer_fails_after_its_time_out_without_a_wait(
    workshop: Workshop, source: str, timeout_s: int, runs: int
) -> None:
    token = workshop.function(source)
    environment = Environment(account_id="123456789012", region=REGION)
    provider = Provider.behind(token, "Custom::Thing", environment)
    properties = {"ServiceToken": token, "ServiceTimeout": timeout_s}
    request = Request(
        kind="Create",
        resource_type="Custom::Thing",
        stack_id="stack",
        logical_id="Thing",
        properties=properties,
    )
    with pytest.raises(
        TimedOutError, match=f"Please check your logs for requestId \\[{request.id}\\]"
    ) as late:
        provider.ask(request)
    assert late.value.after_s == timeout_s
    assert workshop.seen() == [("Create", None)] * runs
    assert {event["RequestId"] for event in events_in(workshop.record)} == {request.id}


def test_a_function_that_neither_sleeps_nor_ends_is_stopped(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(invocation, "REAL_LIMIT_S", 0.2)
    workshop.function("def handler(event, context):\n    while True:\n        pass\n")
    stack = workshop.deploy({"ServiceTimeout": 10})
    assert "did not receive a response" in reason(stack, "CREATE_FAILED")


def test_an_answer_after_the_time_out_comes_too_late(workshop: Workshop) -> None:
    workshop.function(NAMED.replace("    seen(event)", "    seen(event)\n    import time; time.sleep(50)"))
    assert "did not receive" in reason(
        workshop.deploy({"Name": "one", "ServiceTimeout": 40}), "CREATE_FAILED"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Data": {"Long": "x" * 4096}}, "Response object is too long."),
        ({"PhysicalResourceId": ""}, "Invalid PhysicalResourceId"),
        ({"PhysicalResourceId": None}, "Invalid PhysicalResourceId"),
        ({"PhysicalResourceId": "x" * 1025}, "Invalid PhysicalResourceId"),
        ({"Status": "FAILURE"}, "Invalid Response object: 'FAILURE' is not a valid ResponseStatus"),
        ({"Status": "FAILED"}, "Invalid Response object: Reason is required if Status is FAILED"),
        ({"Reason": None}, "Invalid Response object: Reason must be a string"),
        ({"RequestId": "x"}, "RequestId is 'x' and must be copied from the request"),
        ({"StackId": None}, "StackId is 'None' and must be copied from the request"),
        ({"NoEcho": "true"}, "Invalid Response object: NoEcho must be true or false"),
        ({"Data": ["x"]}, "Invalid Response object: Data must be an object"),
    ],
)
def test_an_answer_that_cloudformation_does_not_take_fails_the_resource(
    workshop: Workshop, change: dict[str, Any], message: str
) -> None:
    workshop.function(NAMED.replace("answer(event, **said)", f"answer(event, **{{**said, **{change!r}}})"))
    assert message in reason(workshop.deploy({"Name": "one"}), "CREATE_FAILED")


@pytest.mark.parametrize("body", ["[]", "no JSON"])
def test_an_answer_that_is_no_object_fails_the_resource(workshop: Workshop, body: str) -> None:
    workshop.function(
        "import urllib.request\n\ndef handler(event, context):\n"
        f"    sent = urllib.request.Request(event['ResponseURL'], {body.encode()!r}, method='PUT')\n"
        "    urllib.request.urlopen(sent).close()\n"
    )
    assert "Invalid Response object: it is not" in reason(workshop.deploy({}), "CREATE_FAILED")


def test_only_the_very_url_takes_an_answer_and_only_with_its_length(workshop: Workshop) -> None:
    workshop.function(
        "import http.client, urllib.parse\nfrom recorder import answer\n\ndef handler(event, context):\n"
        "    said, url = {}, event['ResponseURL']\n"
        "    wrong = url.replace('Signature=', 'Signature=0')\n"
        # no body: the refusal may come, and the connection end, before it is sent
        "    for address, headers in ((wrong, {'Content-Length': '0'}), (url, {})):\n"
        "        parts = urllib.parse.urlsplit(address)\n"
        "        connection = http.client.HTTPConnection(parts.netloc)\n"
        "        connection.putrequest('PUT', f'{parts.path}?{parts.query}')\n"
        "        for name, value in headers.items():\n"
        "            connection.putheader(name, value)\n"
        "        connection.endheaders()\n"
        "        said[str(connection.getresponse().status)] = 'refused'\n"
        "        connection.close()\n"
        "    answer(event, PhysicalResourceId='one', Data=said)\n"
    )
    stack = workshop.deploy({})
    assert stack.resources["Thing"].attributes == {"403": "refused", "411": "refused"}


def test_the_first_answer_counts_even_of_a_function_that_then_raises(workshop: Workshop) -> None:
    workshop.function(
        NAMED
        + "    answer(event, Status='FAILED', PhysicalResourceId='late', Reason='late')\n"
        + "    raise ValueError('later')\n"
    )
    stack = workshop.deploy({"Name": "one"})
    assert (stack.status, stack.resources["Thing"].physical_id) == ("CREATE_COMPLETE", "one")
    assert workshop.seen() == [("Create", None)]
