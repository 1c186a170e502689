"""Custom resources: the provider's own function is called, and CloudFormation does what its answers say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scripts.cloud.custom.inline import inline_archive
from tests.cloud.custom.custom_functions import (
    FAILING,
    FORGETS,
    NAMED,
    REGION,
    Workshop,
    events_in,
    make_function,
    reason,
)


def test_a_resource_is_created_changed_and_deleted_by_its_provider(workshop: Workshop) -> None:
    workshop.function(NAMED)
    outputs = {"Id": {"Ref": "Thing"}, "Url": {"Fn::GetAtt": ["Thing", "Url"]}}
    stack = workshop.deploy({"Name": "one", "Size": 3, "Deep": [{"On": True}]}, outputs=outputs)
    assert stack.status == "CREATE_COMPLETE", stack.events
    assert {o["OutputKey"]: o["OutputValue"] for o in stack.outputs} == {"Id": "one", "Url": "https://one"}
    workshop.deploy({"Name": "one", "Size": 4.5, "ServiceTimeout": 30})
    workshop.delete(stack)
    assert stack.status == "DELETE_COMPLETE"
    create, update, delete = events_in(workshop.record)
    about = {"ServiceToken": workshop.token, "StackId": stack.id, "LogicalResourceId": "Thing"}
    for event in (create, update, delete):
        assert about.items() <= event.items()
        assert event["ResourceType"] == "Custom::Thing"
        assert event["ResponseURL"].startswith("http://127.0.0.1:")
    first = {"ServiceToken": workshop.token, "Name": "one", "Size": "3", "Deep": [{"On": "true"}]}
    second = {"ServiceToken": workshop.token, "Name": "one", "Size": "4.5", "ServiceTimeout": "30"}
    assert create["ResourceProperties"] == first
    assert "PhysicalResourceId" not in create
    assert (update["OldResourceProperties"], update["ResourceProperties"]) == (first, second)
    assert (delete["ResourceProperties"], delete["PhysicalResourceId"]) == (second, "one")
    assert len({event["RequestId"] for event in (create, update, delete)}) == 3


def test_a_resource_whose_properties_stay_is_left_alone(workshop: Workshop) -> None:
    workshop.function(NAMED)
    workshop.deploy({"Name": "one", "Size": 3})
    parameter = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": {"Ref": "Thing"}}}
    assert workshop.deploy({"Name": "one", "Size": "3"}, Other=parameter).status == "UPDATE_COMPLETE"
    assert workshop.seen() == [("Create", None)]


def test_another_physical_id_replaces_the_resource_and_the_old_one_is_deleted_last(
    workshop: Workshop,
) -> None:
    workshop.function(NAMED)
    workshop.deploy({"Name": "one"})
    stack = workshop.deploy({"Name": "two"}, outputs={"Id": {"Ref": "Thing"}})
    assert stack.status == "UPDATE_COMPLETE"
    assert stack.outputs[0]["OutputValue"] == "two"
    assert workshop.seen() == [("Create", None), ("Update", "one"), ("Delete", "one")]
    assert events_in(workshop.record)[-1]["ResourceProperties"]["Name"] == "one"
    cleaning = [e.status for e in stack.events].index("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS")
    assert "DELETE_COMPLETE" in [e.status for e in stack.events[cleaning:] if e.physical_id == "one"]


def test_a_replaced_resource_may_be_retained(workshop: Workshop) -> None:
    workshop.function(NAMED)
    workshop.options["UpdateReplacePolicy"] = "Retain"
    workshop.deploy({"Name": "one"})
    assert workshop.deploy({"Name": "two"}).status == "UPDATE_COMPLETE"
    assert workshop.seen() == [("Create", None), ("Update", "one")]


def test_a_rollback_deletes_the_replacement_and_keeps_the_old_resource(workshop: Workshop) -> None:
    workshop.function(NAMED)
    workshop.deploy({"Name": "one"})
    stack = workshop.deploy({"Name": "two"}, Other=FAILING)
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
    assert workshop.seen() == [("Create", None), ("Update", "one"), ("Delete", "two")]
    assert stack.resources["Thing"].physical_id == "one"


def test_a_rollback_changes_back_what_kept_its_id(workshop: Workshop) -> None:
    workshop.function(NAMED)
    workshop.deploy({"Name": "one", "Size": 1})
    stack = workshop.deploy({"Name": "one", "Size": 2}, Other=FAILING)
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
    last = events_in(workshop.record)[-1]
    assert (last["RequestType"], last["PhysicalResourceId"]) == ("Update", "one")
    assert (last["OldResourceProperties"]["Size"], last["ResourceProperties"]["Size"]) == ("2", "1")


def test_a_change_back_that_gives_another_id_deletes_what_it_replaced(workshop: Workshop) -> None:
    grown = '"restored" if event.get("OldResourceProperties", {}).get("Size") == "2" else properties["Name"]'
    workshop.function(
        NAMED.replace('"PhysicalResourceId": properties["Name"]', f'"PhysicalResourceId": {grown}')
    )
    workshop.deploy({"Name": "one", "Size": 1})
    stack = workshop.deploy({"Name": "one", "Size": 2}, Other=FAILING)
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
    assert stack.resources["Thing"].physical_id == "restored"
    assert workshop.seen() == [("Create", None), ("Update", "one"), ("Update", "one"), ("Delete", "one")]


def test_the_creation_of_another_resource_fails_and_what_was_made_is_deleted(workshop: Workshop) -> None:
    workshop.function(NAMED)
    stack = workshop.deploy({"Name": "one"}, Other=FAILING)
    assert stack.status == "ROLLBACK_COMPLETE"
    assert workshop.seen() == [("Create", None), ("Delete", "one")]


def test_a_refused_creation_is_deleted_under_the_id_of_the_answer(workshop: Workshop) -> None:
    workshop.function(NAMED)
    stack = workshop.deploy({"Name": "one", "Fails": "Create"})
    assert stack.status == "ROLLBACK_COMPLETE"
    create, delete = events_in(workshop.record)
    assert reason(stack, "CREATE_FAILED") == (
        "Received response status [FAILED] from custom resource. "
        f"Message returned: it refuses (RequestId: {create['RequestId']})"
    )
    assert (delete["RequestType"], delete["PhysicalResourceId"]) == ("Delete", "one")


@pytest.mark.parametrize(("name", "undone"), [("one", ("Update", "one")), ("two", ("Delete", "two"))])
def test_a_refused_update_is_undone_by_the_id_of_the_answer(
    workshop: Workshop, name: str, undone: tuple[str, str]
) -> None:
    # the same id: changed back, aws-cdk-lib/custom-resources/README.md; another: deleted as a failed
    # replacement, https://github.com/aws/aws-cdk/issues/22670
    workshop.function(NAMED)
    workshop.deploy({"Name": "one"})
    stack = workshop.deploy({"Name": name, "Fails": "Update"})
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
    assert "it refuses" in reason(stack, "UPDATE_FAILED")
    assert workshop.seen() == [("Create", None), ("Update", "one"), undone]
    assert stack.resources["Thing"].physical_id == "one"


def test_a_refused_deletion_fails_the_stack_and_the_next_one_goes_on(workshop: Workshop) -> None:
    workshop.function(NAMED)
    stack = workshop.deploy({"Name": "one", "Fails": "Delete"})
    assert workshop.delete(stack).status == "DELETE_FAILED"
    assert "it refuses" in reason(stack, "DELETE_FAILED")
    workshop.client("lambda").update_function_code(
        FunctionName=workshop.token, ZipFile=inline_archive(SUCCEEDS, "python3.13")
    )
    assert workshop.delete(stack).status == "DELETE_COMPLETE"


SUCCEEDS = """
import cfnresponse

def handler(event, context):
    cfnresponse.send(event, context, cfnresponse.SUCCESS, {"Kind": event["RequestType"]}, "fixed")
"""


def test_an_inline_function_answers_with_the_module_that_cloudformation_adds(workshop: Workshop) -> None:
    workshop.token = make_function(workshop.client, inline_archive(SUCCEEDS, "python3.13"))
    stack = workshop.deploy({}, outputs={"Kind": {"Fn::GetAtt": ["Thing", "Kind"]}})
    assert stack.outputs[0]["OutputValue"] == "Create"
    assert stack.resources["Thing"].physical_id == "fixed"


def test_the_log_stream_as_id_replaces_the_resource_with_every_cold_start(workshop: Workshop) -> None:
    source = SUCCEEDS.replace(', "fixed"', "")
    workshop.token = make_function(workshop.client, inline_archive(source, "python3.13"))
    before = workshop.deploy({"Size": 1}).resources["Thing"].physical_id
    after = workshop.deploy({"Size": 2}).resources["Thing"].physical_id
    assert "[$LATEST]" in before
    assert before != after


def test_cloudformation_adds_its_module_only_for_the_very_import_statement(workshop: Workshop) -> None:
    source = SUCCEEDS.replace("import cfnresponse", "from cfnresponse import SUCCESS")
    workshop.token = make_function(workshop.client, inline_archive(source, "python3.13"))
    stack = workshop.deploy({"ServiceTimeout": 30})
    assert "did not receive a response" in reason(stack, "CREATE_FAILED")


def test_what_never_answered_is_deleted_under_an_id_that_nobody_knows(workshop: Workshop) -> None:
    workshop.function(FORGETS)
    stack = workshop.deploy({})
    assert stack.status == "ROLLBACK_FAILED"
    for status in ("CREATE_FAILED", "DELETE_FAILED"):
        assert "did not receive a response from your Custom Resource" in reason(stack, status)
    assert stack.clock.elapsed_s >= 2 * 3600
    (_, created), (kind, physical_id) = workshop.seen()
    assert (created, kind) == (None, "Delete")
    assert physical_id is not None
    assert physical_id.startswith(f"{stack.name}-Thing-")


def test_a_handler_that_cannot_delete_what_never_existed_blocks_the_stack_until_it_can(
    workshop: Workshop,
) -> None:
    workshop.function(NAMED)
    stack = workshop.deploy({"Name": "one", "Fails": ["Create", "Delete"]})
    assert stack.status == "ROLLBACK_FAILED"
    assert workshop.delete(stack).status == "DELETE_FAILED"
    assert "it refuses" in reason(stack, "DELETE_FAILED")
    workshop.client("lambda").update_function_code(
        FunctionName=workshop.token, ZipFile=inline_archive(SUCCEEDS, "python3.13")
    )
    assert workshop.delete(stack).status == "DELETE_COMPLETE"
    assert workshop.seen() == [("Create", None), ("Delete", "one"), ("Delete", "one")]


def test_without_a_rollback_what_failed_stays_until_the_next_deployment_succeeds(workshop: Workshop) -> None:
    workshop.function(NAMED)
    assert workshop.deploy({"Name": "one", "Fails": "Create"}, rollback=False).status == "CREATE_FAILED"
    assert workshop.seen() == [("Create", None)]
    assert workshop.deploy({"Name": "two"}, rollback=False).status == "UPDATE_COMPLETE"
    assert workshop.seen() == [("Create", None), ("Create", None), ("Delete", "one")]


def test_an_update_that_is_not_answered_is_changed_back(workshop: Workshop) -> None:
    workshop.function(
        NAMED.replace("    if ", "    if properties.get('Silent'):\n        return\n    if ", 1)
    )
    workshop.deploy({"Name": "one"})
    stack = workshop.deploy({"Name": "one", "Silent": True})
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
    assert workshop.seen() == [("Create", None), ("Update", "one"), ("Update", "one")]


@pytest.mark.parametrize("name", ["Nowhere", "Url.Host", "Nested.Key"])
def test_an_attribute_that_the_answer_lacks_fails_who_asks_for_it(workshop: Workshop, name: str) -> None:
    # nested ones too: https://github.com/aws/aws-cdk/issues/27626
    workshop.function(NAMED.replace('"Data": {', '"Data": {"Nested": {"Key": "x"}, '))
    value = {"Fn::GetAtt": ["Thing", name]}
    asking = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": value}}
    stack = workshop.deploy({"Name": "one"}, Other=asking)
    wanted = f"CustomResource attribute error: Vendor response doesn't contain {name} attribute in object"
    assert f"{wanted} {stack.id}|Thing" in reason(stack, "CREATE_FAILED", "Other")


def test_the_service_token_never_changes(workshop: Workshop) -> None:
    workshop.function(NAMED)
    workshop.deploy({"Name": "one"})
    workshop.function(NAMED)
    stack = workshop.deploy({"Name": "one"})
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
    assert "modifying the service token is not allowed" in (reason(stack, "UPDATE_FAILED") or "")
    assert workshop.seen() == [("Create", None)]


@pytest.mark.parametrize(
    ("token", "reported"),
    [
        (f"arn:aws:lambda:{REGION}:123456789012:function:gone", "no provider has the service token"),
        ("arn:aws:lambda:eu-west-1:123456789012:function:far", f"that exists in {REGION}"),
        (f"arn:aws:sns:{REGION}:123456789012:topic", "does not support SNS topics"),
    ],
)
def test_a_token_without_a_provider_is_named(workshop: Workshop, token: str, reported: str) -> None:
    workshop.token = token
    stack = workshop.deploy({"Name": "one"})
    assert reported in reason(stack, "CREATE_FAILED")
    assert token in reason(stack, "CREATE_FAILED")
    assert stack.status == "ROLLBACK_COMPLETE"


def test_a_function_that_cannot_run_here_says_what_can_be_done(workshop: Workshop) -> None:
    workshop.function(NAMED, Runtime="nodejs22.x")
    why = reason(workshop.deploy({"Name": "one"}), "CREATE_FAILED")
    assert f"cannot run the function {workshop.token} (runtime nodejs22.x, handler index.handler)" in why
    assert "write its handler in Python, or register a model" in why


@pytest.mark.parametrize(
    ("kind", "properties", "reported"),
    [
        ("Custom::Two Words", {}, "only letters, digits and the characters _@- are allowed"),
        ("Custom::", {}, "only letters, digits and the characters _@- are allowed"),
        (f"Custom::{'x' * 53}", {}, "61 characters, but a custom type has at most 60"),
        ("Custom::Thing", {"ServiceTimeout": 3601}, "#/ServiceTimeout: 3601 is greater than the maximum"),
        ("Custom::Thing", {"ServiceTimeout": "soon"}, "#/ServiceTimeout: 'soon' is not of type 'integer'"),
    ],
)
def test_a_type_or_a_fixed_property_that_is_wrong_never_reaches_the_provider(
    workshop: Workshop, kind: str, properties: dict[str, Any], reported: str
) -> None:
    workshop.function(NAMED)
    assert reported in reason(workshop.deploy({"Name": "one", **properties}, kind), "CREATE_FAILED")
    assert workshop.seen() == []


@pytest.mark.parametrize(
    "kind", ["AWS::CloudFormation::CustomResource", "Custom::My_Thing@2-x", f"Custom::{'x' * 52}"]
)
def test_every_name_of_a_custom_type_is_configured_to_the_provider(workshop: Workshop, kind: str) -> None:
    workshop.function(NAMED)
    assert workshop.deploy({"Name": "one"}, kind).status == "CREATE_COMPLETE"
    assert events_in(workshop.record)[0]["ResourceType"] == kind


def test_a_service_token_is_required(workshop: Workshop) -> None:
    thing = {"Thing": {"Type": "Custom::Thing", "Properties": {"Name": "one"}}}
    stack = workshop.cloud.deploy(REGION, workshop.name, json.dumps({"Resources": thing}))
    assert "'ServiceToken' is a required property" in reason(stack, "CREATE_FAILED")
