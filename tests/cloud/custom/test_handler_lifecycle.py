"""Lifecycle tests of a handler find responses that CloudFormation rejects."""

from __future__ import annotations

import json
import time
import urllib.request
from contextlib import suppress
from typing import Any
from uuid import uuid4

import boto3
import pytest

from scripts.cloud.custom.environment import Environment
from scripts.cloud.local import LocalCloud
from tests.cloud.custom.custom_functions import REGION
from tests.cloud.custom.handler_lifecycle import exercise

STEPS = ["create", "create repeated", "update", "update repeated"]
ENDING = ["delete", "delete again", "delete of what never existed"]


@pytest.fixture
def environment(module_cloud: LocalCloud) -> Environment:
    return Environment(account_id=module_cloud.account, region=REGION)


def parameter(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """A good handler: a parameter whose name is the physical id."""
    ssm, properties = boto3.client("ssm"), event["ResourceProperties"]
    if event["RequestType"] == "Delete":
        with suppress(ssm.exceptions.ParameterNotFound):
            ssm.delete_parameter(Name=event["PhysicalResourceId"])
        return {}
    time.sleep(30)
    name = properties["Name"]
    ssm.put_parameter(Name=name, Value=properties.get("Value", "x"), Type="String", Overwrite=True)
    return {"PhysicalResourceId": name, "Data": {"Name": name}}


def answering(event: dict[str, Any], context: Any) -> None:
    """The same, where no framework answers for it."""
    said = {
        "Status": "SUCCESS",
        "PhysicalResourceId": event.get("PhysicalResourceId"),
        **parameter(event, context),
    }
    said |= {name: event[name] for name in ("StackId", "RequestId", "LogicalResourceId")}
    request = urllib.request.Request(event["ResponseURL"], json.dumps(said).encode(), method="PUT")
    urllib.request.urlopen(request).close()


@pytest.mark.parametrize(("handler", "framework"), [(parameter, True), (answering, False)])
def test_a_good_handler_has_no_problems(environment: Environment, handler: Any, framework: bool) -> None:
    report = exercise(
        handler,
        environment,
        create={"Name": "same", "Value": "1"},
        changed={"Name": "same", "Value": "2"},
        framework=framework,
    )
    assert report.problems == []
    assert [step.name for step in report.steps] == [*STEPS, "change back", *ENDING]
    assert not report.replaced
    assert not environment.client("ssm").get_parameters(Names=["same"])["Parameters"]


def test_a_change_of_the_id_is_a_replacement_and_the_old_one_is_deleted(environment: Environment) -> None:
    report = exercise(parameter, environment, create={"Name": "a"}, changed={"Name": "b"}, framework=True)
    assert report.problems == []
    assert report.replaced
    assert [step.name for step in report.steps] == [*STEPS, "delete of what was replaced", *ENDING]
    assert not environment.client("ssm").get_parameters(Names=["a", "b"])["Parameters"]


def test_a_handler_that_raises_answers_only_under_the_framework(environment: Environment) -> None:
    def raises(event: dict[str, Any], context: Any) -> None:
        raise KeyError("Name")

    framed = exercise(raises, environment, create={}, changed={}, framework=True)
    assert [step.name for step in framed.steps] == ["create", "delete of what never existed"]
    assert all("Message returned: Error: 'Name'" in problem for problem in framed.problems)
    alone = exercise(raises, environment, create={}, changed={})
    assert len(alone.problems) == 2
    assert all("did not receive a response" in problem for problem in alone.problems)


def test_a_handler_that_never_answers_is_found(environment: Environment) -> None:
    def waits(event: dict[str, Any], context: Any) -> None:
        while True:
            time.sleep(60)

    report = exercise(waits, environment, create={}, changed={})
    assert all("did not receive a response" in problem for problem in report.problems)
    assert len(report.problems) == len(report.steps)


def test_what_cloudformation_would_not_take_is_reported_step_by_step(environment: Environment) -> None:
    def careless(event: dict[str, Any], context: Any) -> dict[str, Any]:
        if event["RequestType"] == "Delete":
            boto3.client("ssm").delete_parameter(Name=event["PhysicalResourceId"])  # what if it is gone?
            return {}
        if event["ResourceProperties"].get("Value") == "wrong":
            raise ValueError("wrong value")
        name = f"random-{uuid4()}"
        boto3.client("ssm").put_parameter(Name=name, Value="x", Type="String")
        return {"PhysicalResourceId": name}

    report = exercise(careless, environment, create={}, changed={"Value": "wrong"}, framework=True)
    found = {problem.split(":")[0]: problem for problem in report.problems}
    assert set(found) == {
        "create repeated",
        "update",
        "change back after a failed update",
        "delete again",
        "delete of what never existed",
    }
    assert "CloudFormation would replace it" in found["create repeated"]
    assert "wrong value" in found["update"]
