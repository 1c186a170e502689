"""Custom::AWS: one call of a service's API for each kind of event, written for the SDK of JavaScript."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scripts.cloud.custom.inline import inline_archive
from tests.cloud.custom.custom_functions import FAILING, REGION, Workshop, make_function, reason


@pytest.fixture
def aws(workshop: Workshop) -> Workshop:
    code, name = (
        inline_archive("exports.handler = 1", "nodejs24.x"),
        "AWS679f53fac002430cb0da5b7982bd22872D164C4C",
    )
    workshop.token = make_function(
        workshop.client, code, f"{workshop.name}-{name}", Runtime="nodejs24.x", Handler="index.handler"
    )
    return workshop


def sdk(service: str, action: str, **more: Any) -> str:
    return json.dumps({"service": service, "action": action, **more})


def put(name: str, value: str, **more: Any) -> dict[str, Any]:
    return {"parameters": {"Name": name, "Value": value, "Type": "String", **more}}


@pytest.mark.parametrize(
    ("service", "action"),
    [("SSM", "putParameter"), ("@aws-sdk/client-ssm", "PutParameterCommand"), ("ssm", "PutParameter")],
)
def test_an_sdk_call_is_made_for_each_kind_of_event(aws: Workshop, service: str, action: str) -> None:
    name, ssm = f"/{aws.name}", aws.client("ssm")
    own = {"physicalResourceId": {"id": name}, "outputPaths": ["Version", "Tier"]}
    properties = {
        "Create": sdk(service, action, **put(name, "made"), **own),
        "Update": sdk(service, action, **put("PHYSICAL:RESOURCEID:", "changed", Overwrite=True), **own),
        "Delete": sdk("SSM", "deleteParameter", parameters={"Name": "PHYSICAL:RESOURCEID:"}),
    }
    stack = aws.deploy(properties, "Custom::AWS", outputs={"Version": {"Fn::GetAtt": ["Thing", "Version"]}})
    assert stack.status == "CREATE_COMPLETE", reason(stack, "CREATE_FAILED")
    assert (stack.outputs[0]["OutputValue"], stack.resources["Thing"].physical_id) == ("1", name)
    aws.deploy({**properties, "Other": 1}, "Custom::AWS")
    assert ssm.get_parameter(Name=name)["Parameter"]["Value"] == "changed"
    assert aws.delete(stack).status == "DELETE_COMPLETE"
    assert not ssm.get_parameters(Names=[name])["Parameters"]


def test_an_id_and_attributes_come_from_the_response(aws: Workshop) -> None:
    aws.client("logs").create_log_group(logGroupName=f"/{aws.name}")
    call = sdk(
        "CloudWatchLogs",
        "describeLogGroups",
        parameters={"logGroupNamePrefix": f"/{aws.name}", "limit": "5"},
        physicalResourceId={"responsePath": "logGroups.0.arn"},
    )
    stack = aws.deploy({"Create": call}, "Custom::AWS")
    made = stack.resources["Thing"]
    assert made.attributes["logGroups.0.logGroupName"] == f"/{aws.name}"
    assert made.attributes["region"] == REGION
    assert made.physical_id == made.attributes["logGroups.0.arn"]


def test_a_call_may_go_to_another_region_and_its_errors_be_ignored(aws: Workshop) -> None:
    far = {"region": "eu-west-1", "physicalResourceId": {"id": "far"}}
    missing = sdk("SSM", "getParameter", parameters={"Name": "/none"}, ignoreErrorCodesMatching="NotFound$")
    create = sdk("SSM", "putParameter", **put(f"/{aws.name}", "far"), **far)
    stack = aws.deploy({"Create": create, "Delete": missing}, "Custom::AWS")
    found = aws.cloud.client("ssm", "eu-west-1").get_parameter(Name=f"/{aws.name}")
    assert found["Parameter"]["Value"] == "far"
    assert aws.delete(stack).status == "DELETE_COMPLETE"


@pytest.mark.parametrize(
    ("call", "reported"),
    [
        (sdk("SSM", "getParameter", parameters={"Name": "/none"}), "Parameter /none not found"),
        (sdk("SSM", "getParamter"), "Unable to find command named: getParamter"),
        (sdk("NoSuch", "get"), "Package @aws-sdk/client-NoSuch does not exist."),
        (sdk("SSM", "getParameter", parameters={"Nme": "/none"}), 'Unknown parameter in input: "Nme"'),
        (sdk("SSM", "getParameter", assumedRoleArn="arn"), "does not support SDK calls with another role"),
    ],
)
def test_a_call_that_fails_is_reported(aws: Workshop, call: str, reported: str) -> None:
    stack = aws.deploy({"Create": call}, "Custom::AWS")
    assert reported in reason(stack, "CREATE_FAILED")
    assert stack.status == "ROLLBACK_COMPLETE"


def test_a_call_that_is_no_json_is_reported(aws: Workshop) -> None:
    assert "Expecting value" in reason(aws.deploy({"Create": "no JSON"}, "Custom::AWS"), "CREATE_FAILED")


def test_a_failed_update_answers_with_the_log_stream_and_the_deletion_gets_it(aws: Workshop) -> None:
    # https://github.com/aws/aws-cdk/issues/13527 and /30012: the reason to want a provider of one's own
    name = f"/{aws.name}"
    create = sdk("SSM", "putParameter", **put(name, "made"), physicalResourceId={"id": name})
    delete = sdk("SSM", "deleteParameter", parameters={"Name": "PHYSICAL:RESOURCEID:"})
    aws.deploy({"Create": create, "Delete": delete}, "Custom::AWS")
    update = sdk("SSM", "getParameter", parameters={"Name": "/none"})
    stack = aws.deploy({"Create": create, "Delete": delete, "Update": update}, "Custom::AWS")
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
    failed = next(e for e in stack.events if (e.logical_id, e.status) == ("Thing", "DELETE_FAILED"))
    assert "not found" in (failed.reason or "")
    assert stack.resources["Thing"].physical_id == name


def test_an_answer_may_be_too_long_for_cloudformation(aws: Workshop) -> None:
    aws.client("ssm").put_parameter(Name=f"/{aws.name}", Value="x" * 4096, Type="String")
    call = sdk("SSM", "getParameter", parameters={"Name": f"/{aws.name}"})
    assert (
        reason(aws.deploy({"Create": call}, "Custom::AWS"), "CREATE_FAILED") == "Response object is too long."
    )


def test_what_was_made_by_an_sdk_call_is_taken_back(aws: Workshop) -> None:
    name = f"/{aws.name}"
    properties = {
        "Create": sdk("SSM", "putParameter", **put(name, "made"), physicalResourceId={"id": name}),
        "Delete": sdk("SSM", "deleteParameter", parameters={"Name": name}),
    }
    assert aws.deploy(properties, "Custom::AWS", Other=FAILING).status == "ROLLBACK_COMPLETE"
    assert not aws.client("ssm").get_parameters(Names=[name])["Parameters"]
