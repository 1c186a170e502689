"""The providers that CDK brings in Node.js do here what their own code does on AWS."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from scripts.cloud.custom import providers
from scripts.cloud.custom.inline import archive, inline_archive
from scripts.cloud.custom.providers import Call, Identity, register
from tests.cloud.custom.custom_functions import REGION, Workshop, make_function, reason

NODE: dict[str, Any] = {"Runtime": "nodejs24.x", "Handler": "index.handler"}


def node(workshop: Workshop, **settings: Any) -> None:
    """A function of Node.js becomes the stack's provider."""
    code = inline_archive("exports.handler = 1", "nodejs24.x")
    workshop.token = make_function(workshop.client, code, **{**NODE, **settings})


def bucket(workshop: Workshop, name: str, **tags: str) -> Any:
    s3 = workshop.client("s3")
    s3.create_bucket(Bucket=name)
    s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    if tags:
        found = [{"Key": key.replace("_", "-"), "Value": value} for key, value in tags.items()]
        s3.put_bucket_tagging(Bucket=name, Tagging={"TagSet": found})
    for _ in range(2):
        s3.put_object(Bucket=name, Key="a/b", Body=b"x")
    s3.delete_object(Bucket=name, Key="a/b")
    return s3


AUTO_DELETE = "Custom::S3AutoDeleteObjects"
TAG = {"Key": "aws-cdk:auto-delete-objects", "Value": "true"}


def left(s3: Any, name: str) -> int:
    found = s3.list_object_versions(Bucket=name)
    return len(found.get("Versions", [])) + len(found.get("DeleteMarkers", []))


def test_a_tagged_bucket_is_emptied_when_its_resource_is_deleted(workshop: Workshop) -> None:
    node(workshop)
    s3 = bucket(workshop, "tagged-bucket")
    s3.put_bucket_tagging(Bucket="tagged-bucket", Tagging={"TagSet": [TAG]})
    policy = {"Version": "2012-10-17", "Statement": []}
    allow = {
        "Effect": "Allow",
        "Principal": "*",
        "Action": "s3:GetObject",
        "Resource": "arn:aws:s3:::tagged-bucket/*",
    }
    s3.put_bucket_policy(Bucket="tagged-bucket", Policy=json.dumps({**policy, "Statement": [allow]}))
    stack = workshop.deploy({"BucketName": "tagged-bucket"}, AUTO_DELETE)
    assert left(s3, "tagged-bucket") == 3
    assert workshop.delete(stack).status == "DELETE_COMPLETE"
    assert left(s3, "tagged-bucket") == 0
    denied = json.loads(s3.get_bucket_policy(Bucket="tagged-bucket")["Policy"])["Statement"][-1]
    assert (denied["Effect"], denied["Action"]) == ("Deny", ["s3:PutObject"])


def test_a_bucket_without_the_tag_is_left_as_it_is(workshop: Workshop) -> None:
    node(workshop)
    s3 = bucket(workshop, "other-bucket", cost_center="x")
    stack = workshop.deploy({"BucketName": "other-bucket"}, AUTO_DELETE)
    assert workshop.delete(stack).status == "DELETE_COMPLETE"
    assert left(s3, "other-bucket") == 3


def test_a_bucket_that_is_gone_needs_no_emptying(workshop: Workshop) -> None:
    node(workshop)
    stack = workshop.deploy({"BucketName": "bucket-that-never-was"}, AUTO_DELETE)
    assert workshop.delete(stack).status == "DELETE_COMPLETE"


def test_another_bucket_empties_the_old_one_in_the_clean_up(workshop: Workshop) -> None:
    node(workshop)
    for name in ("first-bucket", "second-bucket"):
        s3 = bucket(workshop, name)
        s3.put_bucket_tagging(Bucket=name, Tagging={"TagSet": [TAG]})
    workshop.deploy({"BucketName": "first-bucket"}, AUTO_DELETE)
    stack = workshop.deploy({"BucketName": "second-bucket"}, AUTO_DELETE)
    assert stack.resources["Thing"].physical_id == "second-bucket"
    assert (left(s3, "first-bucket"), left(s3, "second-bucket")) == (0, 3)


# moto's default group has no rule for what comes from itself, as AWS's has: so (0, 1) at first
def rules(workshop: Workshop, group: str) -> tuple[int, int]:
    (found,) = workshop.client("ec2").describe_security_groups(GroupIds=[group])["SecurityGroups"]
    return len(found["IpPermissions"]), len(found["IpPermissionsEgress"])


def test_a_default_security_group_loses_its_rules_and_gets_them_back(workshop: Workshop) -> None:
    node(workshop, Handler="__entrypoint__.handler")
    ec2 = workshop.client("ec2")
    groups = []
    for _ in range(2):
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        chosen = [{"Name": "vpc-id", "Values": [vpc]}, {"Name": "group-name", "Values": ["default"]}]
        groups.append(ec2.describe_security_groups(Filters=chosen)["SecurityGroups"][0]["GroupId"])
    first, second = groups
    kind = "Custom::VpcRestrictDefaultSG"
    stack = workshop.deploy({"DefaultSecurityGroupId": first, "Account": "123456789012"}, kind)
    assert (rules(workshop, first), rules(workshop, second)) == ((0, 0), (0, 1))
    workshop.deploy({"DefaultSecurityGroupId": second, "Account": "123456789012"}, kind)
    assert (rules(workshop, first), rules(workshop, second)) == ((1, 1), (0, 0))
    assert workshop.delete(stack).status == "DELETE_COMPLETE"
    assert rules(workshop, second) == (1, 1)


def test_a_default_security_group_that_is_not_there_fails(workshop: Workshop) -> None:
    node(workshop)
    properties = {"DefaultSecurityGroupId": "sg-0123456789abcdef0", "Account": "123456789012"}
    stack = workshop.deploy(properties, "Custom::VpcRestrictDefaultSG")
    assert "Message returned: InvalidGroup.NotFound: " in reason(stack, "CREATE_FAILED")
    assert stack.status == "ROLLBACK_COMPLETE"  # the deletion of a failed creation asks nobody


USER = """
def handler(event, context):
    properties = event["ResourceProperties"]
    if event["RequestType"] in properties.get("Fails", ""):
        raise ValueError("no such " + properties["Name"])
    return {"PhysicalResourceId": properties["Name"], "Data": {"Kind": event["RequestType"]}, "Seen": "1"}
"""


def framework(workshop: Workshop, source: str, **variables: str) -> None:
    """The provider framework before a user's handler becomes the stack's provider."""
    framework_before(
        workshop, make_function(workshop.client, archive({"index.py": source}), Timeout=5), **variables
    )


def framework_before(workshop: Workshop, user: str, **variables: str) -> None:
    """The same before a function that is there."""
    node(
        workshop,
        variables={"USER_ON_EVENT_FUNCTION_ARN": user, **variables},
        Handler="framework.onEvent",
        Description="AWS CDK resource provider framework - onEvent (app/Provider)",
    )


def test_the_provider_framework_answers_with_what_the_users_handler_returns(workshop: Workshop) -> None:
    framework(workshop, USER)
    kind = {"Kind": {"Fn::GetAtt": ["Thing", "Kind"]}}
    workshop.deploy({"Name": "one"}, outputs=kind)
    stack = workshop.deploy({"Name": "one", "Size": 2}, outputs=kind)
    assert stack.outputs[0]["OutputValue"] == "Update"
    workshop.deploy({"Name": "two"})
    assert stack.resources["Thing"].physical_id == "two"
    assert workshop.delete(stack).status == "DELETE_COMPLETE"


@pytest.mark.parametrize("returned", ["None", "{}", "{'Data': {'a': 'b'}}", "'text'"])
def test_without_an_id_the_request_gives_one_that_stays(workshop: Workshop, returned: str) -> None:
    framework(workshop, f"def handler(event, context):\n    return {returned}\n")
    first = workshop.deploy({"Size": 1}).resources["Thing"].physical_id
    stack = workshop.deploy({"Size": 2})
    assert stack.resources["Thing"].physical_id == first
    assert workshop.delete(stack).status == "DELETE_COMPLETE"


def test_the_provider_framework_answers_at_once_for_a_handler_that_raises(workshop: Workshop) -> None:
    framework(workshop, USER)
    stack = workshop.deploy({"Name": "one", "Fails": ["Create", "Delete"]})
    assert "Message returned: Error: no such one Logs: /aws/lambda/provider-" in reason(
        stack, "CREATE_FAILED"
    )
    assert stack.status == "ROLLBACK_COMPLETE"  # the deletion of a failed creation is not handed on
    assert stack.clock.elapsed_s < 60


def test_a_failed_update_keeps_its_id_and_is_changed_back(workshop: Workshop) -> None:
    framework(workshop, USER)
    workshop.deploy({"Name": "one"})
    stack = workshop.deploy({"Name": "one", "Fails": "Update"})
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
    assert stack.resources["Thing"].physical_id == "one"


def test_a_handler_that_sleeps_past_its_time_out_fails_at_once_under_the_framework(
    workshop: Workshop,
) -> None:
    framework(workshop, "import time\n\ndef handler(event, context):\n    time.sleep(6)\n")
    assert "Task timed out after 5.00 seconds" in reason(workshop.deploy({}), "CREATE_FAILED")


def test_a_deletion_cannot_change_the_id(workshop: Workshop) -> None:
    framework(workshop, USER.replace('properties["Name"], "Data"', 'event["RequestType"], "Data"'))
    stack = workshop.deploy({"Name": "one"})
    reported = 'DELETE: cannot change the physical resource ID from "Create" to "Delete" during deletion'
    assert reported in reason(workshop.delete(stack), "DELETE_FAILED")


DONE = """
import boto3

def handler(event, context):
    ssm = boto3.client("ssm")
    name = "/polls/" + event["PhysicalResourceId"]
    try:
        polls = int(ssm.get_parameter(Name=name)["Parameter"]["Value"]) + 1
    except ssm.exceptions.ParameterNotFound:
        polls = 1
    ssm.put_parameter(Name=name, Value=str(polls), Type="String", Overwrite=True)
    if polls < int(event["ResourceProperties"]["Polls"]) and event["RequestType"] == "Create":
        return {"IsComplete": False, "Data": {"a": "b"} if name == "/polls/hasty" else {}}
    return {"IsComplete": True, "Data": {"Polls": str(polls), "Seen": event["Seen"]}}
"""


@pytest.fixture
def waiting(workshop: Workshop) -> Callable[[], None]:
    """Makes the provider one with `isComplete`, asked 3 times more at 10 second intervals."""

    def make() -> None:
        done = make_function(workshop.client, archive({"index.py": DONE}))
        retry = {"ErrorEquals": ["States.ALL"], "IntervalSeconds": 10, "MaxAttempts": 3, "BackoffRate": 1}
        task = {"Type": "Task", "Resource": done, "End": True, "Retry": [retry]}
        machine = workshop.client("stepfunctions").create_state_machine(
            name=workshop.name,
            definition=json.dumps({"StartAt": "ask", "States": {"ask": task}}),
            roleArn="arn:aws:iam::123456789012:role/waiter",
        )["stateMachineArn"]
        framework(workshop, USER, USER_IS_COMPLETE_FUNCTION_ARN=done, WAITER_STATE_MACHINE_ARN=machine)

    return make


def test_the_framework_asks_until_the_resource_is_complete(
    workshop: Workshop, waiting: Callable[[], None]
) -> None:
    waiting()
    stack = workshop.deploy({"Name": "patient", "Polls": 4})
    assert stack.status == "CREATE_COMPLETE"
    made = stack.resources["Thing"]
    assert (made.physical_id, made.attributes) == ("patient", {"Kind": "Create", "Polls": "4", "Seen": "1"})


@pytest.mark.parametrize(
    ("name", "polls", "timeout_s", "reported"),
    [
        ("slow", 5, 3600, "Message returned: Error: Operation timed out"),
        ("late", 4, 25, "did not receive a response from your Custom Resource"),
        ("hasty", 2, 3600, 'Error: "Data" is not allowed if "IsComplete" is "False"'),
    ],
)
def test_what_is_not_complete_in_time_fails(
    workshop: Workshop, waiting: Callable[[], None], name: str, polls: int, timeout_s: int, reported: str
) -> None:
    waiting()
    stack = workshop.deploy({"Name": name, "Polls": polls, "ServiceTimeout": timeout_s})
    assert reported in reason(stack, "CREATE_FAILED")


def test_a_users_handler_may_be_modelled_too(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(providers, "TABLE", dict(providers.TABLE))

    def model(call: Call) -> Any:
        return {"PhysicalResourceId": f"modelled-{call.event['RequestType']}"}

    register(Identity(resource_type="Custom::Modelled", handler="index.handler"), model)
    framework_before(workshop, make_function(workshop.client, archive({"index.js": ""}), **NODE))
    assert workshop.deploy({}, "Custom::Modelled").resources["Thing"].physical_id == "modelled-Create"


def test_a_users_handler_that_cannot_run_is_named(workshop: Workshop) -> None:
    user = make_function(workshop.client, archive({"index.js": ""}), **NODE)
    framework_before(workshop, user)
    assert f"cannot run the function {user}" in reason(workshop.deploy({}), "CREATE_FAILED")


def test_a_users_handler_that_is_gone_fails_the_creation(workshop: Workshop) -> None:
    missing = f"arn:aws:lambda:{REGION}:123456789012:function:gone"
    framework_before(workshop, missing)
    stack = workshop.deploy({})
    assert f"Function not found: {missing}" in reason(stack, "CREATE_FAILED")
    assert stack.status == "ROLLBACK_COMPLETE"
