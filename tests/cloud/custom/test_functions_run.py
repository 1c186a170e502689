"""How a provider's function runs: what it finds in its environment, and what it leaves behind."""

from __future__ import annotations

import logging
import os
import sys
import time
from pathlib import Path
from typing import Any

import boto3
import pytest

from scripts.cloud.custom.inline import archive
from tests.cloud.custom.custom_functions import (
    NAMED,
    RECORDER,
    REGION,
    Workshop,
    events_in,
    make_function,
    reason,
)
from tests.cloud.fixtures import Stacks

ASKS = """
import os, time
import boto3
from recorder import answer

ssm = boto3.client("ssm")
started = time.time(), time.monotonic()

def handler(event, context):
    time.sleep(20)
    if event["RequestType"] == "Create":
        ssm.put_parameter(Name="/made", Type="String", Value="by the handler")
    slept = time.time() - started[0], time.monotonic() - started[1]
    answer(event, PhysicalResourceId="one", Data={
        "Variables": " ".join(os.environ[n] for n in ("COLOUR", "AWS_REGION", "AWS_LAMBDA_FUNCTION_NAME")),
        "Foreign": os.environ.get("AWS_ROLE_SESSION_NAME", "none"),
        "Function": f"{context.function_name} {context.memory_limit_in_mb} {context.log_group_name}",
        "Arn": context.invoked_function_arn,
        "Left": str(context.get_remaining_time_in_millis()),
        "Slept": " ".join(str(round(seconds)) for seconds in slept),
    })
"""


def test_a_function_finds_its_environment_its_context_and_the_cloud(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ROLE_SESSION_NAME", "of the developer")
    code = archive({"index.py": ASKS, "recorder.py": RECORDER})
    settings = {"Timeout": 30, "MemorySize": 256}
    workshop.token = make_function(workshop.client, code, "tinted", {"COLOUR": "blue"}, **settings)
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    stack = workshop.deploy({})
    assert stack.status == "CREATE_COMPLETE", reason(stack, "CREATE_FAILED")
    assert waits == []
    assert stack.resources["Thing"].attributes == {
        "Variables": f"blue {REGION} tinted",
        "Foreign": "none",
        "Function": "tinted 256 /aws/lambda/tinted",
        "Arn": workshop.token,
        "Left": "10000",
        "Slept": "20 20",
    }
    assert workshop.client("ssm").get_parameter(Name="/made")["Parameter"]["Value"] == "by the handler"


UNTIDY = """
import logging, os, sys
import boto3
from recorder import answer

logging.getLogger().setLevel(logging.DEBUG)

def handler(event, context):
    os.environ["LEFT"] = "behind"
    boto3.setup_default_session(region_name="eu-west-1")
    answer(event, PhysicalResourceId=sys.modules[__name__].__file__, Data={"json": "own"})
"""


def test_a_function_leaves_nothing_behind_in_the_process(workshop: Workshop) -> None:
    workshop.function(UNTIDY)
    before = (dict(os.environ), list(sys.path), logging.getLogger().level, boto3.DEFAULT_SESSION, time.sleep)
    stack = workshop.deploy({})
    after = (dict(os.environ), list(sys.path), logging.getLogger().level, boto3.DEFAULT_SESSION, time.sleep)
    assert stack.status == "CREATE_COMPLETE"
    assert after == before
    assert not {"index", "recorder"} & set(sys.modules)
    assert not Path(stack.resources["Thing"].physical_id).exists()


def test_modules_of_one_name_in_two_functions_and_in_this_process_stay_apart(workshop: Workshop) -> None:
    import textwrap as ours

    colour = "from recorder import answer\nimport textwrap\n\ndef handler(event, context):\n"
    colour += "    answer(event, PhysicalResourceId=textwrap.COLOUR)\n"
    tokens = [
        make_function(
            workshop.client,
            archive({"index.py": colour, "recorder.py": RECORDER, "textwrap.py": f"COLOUR = {name!r}"}),
            name,
        )
        for name in ("red", "green")
    ]
    other = {"Type": "Custom::Thing", "Properties": {"ServiceToken": tokens[1]}}
    workshop.token = tokens[0]
    made = workshop.deploy({}, Other=other).resources
    assert {name: resource.physical_id for name, resource in made.items()} == {
        "Thing": "red",
        "Other": "green",
    }
    assert sys.modules["textwrap"] is ours


def test_a_handler_may_be_in_a_package(workshop: Workshop) -> None:
    files = {"app/__init__.py": "", "app/main.py": NAMED, "recorder.py": RECORDER}
    variables = {"SEEN": str(workshop.record)}
    for name, handler in (("slashes", "app/main.handler"), ("dots", "app.main.handler")):
        workshop.token = make_function(workshop.client, archive(files), name, variables, Handler=handler)
        stack = workshop.deploy({"Name": name})
        assert stack.status == "CREATE_COMPLETE"
        workshop.delete(stack)


@pytest.mark.parametrize(
    ("source", "reported"),
    [
        ("import nowhere_to_be_found\n", "No module named 'nowhere_to_be_found'"),
        ("handle = None\n", "has no attribute 'handler'"),
        ("def handler(event, context):\n    return {1, 2}\n", "set is not JSON serializable"),
        ("import sys\n\ndef handler(event, context):\n    sys.exit('gave up')\n", "gave up"),
    ],
)
def test_what_a_function_fails_with_is_logged(
    workshop: Workshop, caplog: pytest.LogCaptureFixture, source: str, reported: str
) -> None:
    workshop.function(source)
    assert "did not receive a response" in reason(workshop.deploy({"ServiceTimeout": 5}), "CREATE_FAILED")
    assert reported in caplog.text


def test_a_version_of_a_function_is_called_with_its_own_code(workshop: Workshop) -> None:
    workshop.function(NAMED)
    awslambda = workshop.client("lambda")
    version = awslambda.publish_version(FunctionName=workshop.token)["Version"]
    broken = archive({"index.py": "broken"})
    awslambda.update_function_code(FunctionName=workshop.token, ZipFile=broken)
    workshop.token = f"{workshop.token}:{version}"
    assert workshop.deploy({"Name": "one"}).status == "CREATE_COMPLETE"


def test_the_same_works_when_it_is_deployed_by_the_api(stacks: Stacks, tmp_path: Path) -> None:
    code = archive({"index.py": ASKS, "recorder.py": RECORDER})
    token = make_function(
        stacks.client, code, "over-http", {"COLOUR": "blue", "SEEN": str(tmp_path / "seen")}
    )
    named = archive({"index.py": NAMED, "recorder.py": RECORDER})
    second = make_function(stacks.client, named, "second", {"SEEN": str(tmp_path / "seen")})
    resources: dict[str, Any] = {
        "Thing": {"Type": "Custom::Thing", "Properties": {"ServiceToken": token}},
        "Named": {"Type": "Custom::Named", "Properties": {"ServiceToken": second, "Name": "one"}},
    }
    arn = {"Arn": {"Value": {"Fn::GetAtt": ["Thing", "Arn"]}}}
    name = stacks.create(resources, Outputs=arn)
    assert stacks.status(name) == "CREATE_COMPLETE", stacks.events(name)
    assert stacks.outputs(name)["Arn"] == token
    assert stacks.client("ssm").get_parameter(Name="/made")["Parameter"]["Value"] == "by the handler"
    resources["Named"]["Properties"]["Name"] = "two"
    stacks.update(name, resources, Outputs=arn)
    stacks.api.delete_stack(StackName=name)
    seen = [(e["RequestType"], e.get("PhysicalResourceId")) for e in events_in(tmp_path / "seen")]
    assert seen == [("Create", None), ("Update", "one"), ("Delete", "one"), ("Delete", "two")]
