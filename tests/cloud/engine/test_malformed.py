"""What is written wrongly is told as such: nothing is stuck, an internal failure, or a page of HTML."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from scripts.cloud.faults import Fault
from scripts.cloud.template.document import Template
from scripts.cloud.template.errors import RequestRefusedError

if TYPE_CHECKING:
    from scripts.cloud.engine.stack import Stack
    from scripts.cloud.local import LocalCloud
    from tests.cloud.fixtures import Stacks

REGION = "us-east-1"


def parameter(value: Any = "1", **more: Any) -> dict[str, Any]:
    return {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": value}, **more}


def body(resources: Any, **sections: Any) -> str:
    return json.dumps({"Resources": resources, **sections})


@pytest.mark.parametrize(
    "text",
    [
        body([]),
        body({"A": parameter(DependsOn=5)}),
        body({"A": {"Type": "AWS::SSM::Parameter", "Properties": []}}),
        body({"A": parameter()}, Outputs=[]),
        body({"A": parameter()}, Outputs={"O": {}}),
        body({"A": parameter()}, Outputs={"O": {"Value": "x", "Export": "e"}}),
        body({"A": parameter()}, Parameters={"P": "x"}),
        body({"A": parameter()}, Parameters={"P": {"Default": "x"}}),
    ],
)
def test_a_template_of_a_wrong_shape_is_refused(text: str) -> None:
    with pytest.raises(RequestRefusedError, match="Template format error"):
        Template.parse(text).require_shapes()


@pytest.mark.parametrize(
    "value",
    [
        {"Fn::If": ["C", "x"]},
        {"Fn::Join": "x"},
        {"Fn::Select": ["x", ["a"]]},
        {"Fn::GetAtt": 5},
        {"Fn::FindInMap": ["a", "b"]},
        {"Fn::Cidr": ["10.0.0.0/33", 1]},
        {"Fn::Length": 5},
        {"Fn::Split": ["", "a"]},
        {"Fn::Sub": ["x"]},
    ],
)
def test_a_function_that_is_written_wrongly_is_named(local: LocalCloud, value: Any) -> None:
    try:
        stack = local.deploy(REGION, "s", body({"A": parameter(value)}))
        reported = " ".join(event.reason or "" for event in stack.events)
    except Exception as error:
        reported = str(error)
    assert next(iter(value)) in reported
    assert "Internal failure" not in reported


@pytest.mark.cloud
@pytest.mark.parametrize(
    "conditions",
    [{"C": {"Condition": "C"}}, {"C": {}}, {"C": {"Fn::Equals": ["a"]}}, {"C": {"Fn::Not": "x"}}],
)
def test_a_condition_that_is_written_wrongly_is_refused_in_the_services_protocol(
    stacks: Stacks, conditions: Any
) -> None:
    with pytest.raises(ClientError, match=r"condition|Condition"):
        stacks.create({"A": parameter(Condition="C")}, Conditions=conditions)


def test_yaml_keys_that_are_numbers_are_texts() -> None:
    template = Template.parse("Mappings: {M: {123456789012: {x: 1}}}\nResources: {A: {Type: T}}")
    assert template.section("Mappings") == {"M": {"123456789012": {"x": 1}}}


def exporting(value: str | None) -> str:
    outputs = {} if value is None else {"O": {"Value": value, "Export": {"Name": "e"}}}
    return body({"A": parameter(value or "none")}, Outputs=outputs)


@pytest.mark.parametrize(("value", "doing"), [("v2", "updated"), (None, "deleted")])
def test_an_export_in_use_stays_as_it_is(local: LocalCloud, value: str | None, doing: str) -> None:
    exporter = local.deploy(REGION, "a", exporting("v1"))
    local.deploy(REGION, "b", body({"B": parameter({"Fn::ImportValue": "e"})}))
    local.deploy(REGION, "a", exporting(value))
    assert exporter.status == "UPDATE_ROLLBACK_COMPLETE"
    reported = [event.reason or "" for event in exporter.events]
    assert any(f"Export e cannot be {doing} as it is in use by b" in reason for reason in reported)
    assert exporter.exports == {"e": "v1"}


def test_a_name_is_exported_once(local: LocalCloud) -> None:
    local.deploy(REGION, "a", exporting("v1"))
    second = local.deploy(REGION, "c", exporting("v1"))
    assert second.status == "ROLLBACK_COMPLETE"


def test_what_a_condition_leaves_out_is_not_referred_to(local: LocalCloud) -> None:
    resources = {"A": parameter(Condition="C"), "B": parameter({"Ref": "A"})}
    on, off = ({"C": {"Fn::Equals": ["a", other]}} for other in ("a", "b"))
    stack = local.deploy(REGION, "s", body(resources, Conditions=on))
    with pytest.raises(RequestRefusedError, match=r"Unresolved resource dependencies \[A\]"):
        local.deploy(REGION, "s", body(resources, Conditions=off))
    assert stack.status == "CREATE_COMPLETE"
    chosen = {**resources, "B": parameter({"Fn::If": ["C", {"Ref": "A"}, "none"]})}
    assert local.deploy(REGION, "s", body(chosen, Conditions=off)).status == "UPDATE_COMPLETE"


def filters(group: str, **more: Any) -> str:
    log_filter = {
        "Type": "AWS::Logs::MetricFilter",
        "Properties": {
            "FilterName": "f",
            "FilterPattern": "",
            "LogGroupName": {"Ref": group},
            "MetricTransformations": [{"MetricName": "m", "MetricNamespace": "n", "MetricValue": "1"}],
        },
    }
    groups = {
        name: {"Type": "AWS::Logs::LogGroup", "Properties": {"LogGroupName": name}} for name in ("L1", "L2")
    }
    return body({**groups, "F": log_filter, **more})


def where(local: LocalCloud) -> list[str]:
    found = local.client("logs", REGION).describe_metric_filters()["metricFilters"]
    return sorted(f["logGroupName"] for f in found)


def test_what_is_deleted_before_it_is_replaced_comes_back_in_a_rollback(local: LocalCloud) -> None:
    local.deploy(REGION, "s", filters("L1"))
    local.faults.inject(Fault(kind="refused", logical_id="Bad"))
    stack: Stack = local.deploy(REGION, "s", filters("L2", Bad=parameter(DependsOn="F")))
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
    assert where(local) == ["L1"]


def test_what_cannot_be_made_again_fails_the_rollback_and_a_later_one_makes_it(local: LocalCloud) -> None:
    local.deploy(REGION, "s", filters("L1"))
    local.faults.inject(Fault(kind="refused", logical_id="F", action="create", times=2))
    stack: Stack = local.deploy(REGION, "s", filters("L2"))
    assert stack.status == "UPDATE_ROLLBACK_FAILED"
    local.backend(REGION).roll_back(stack)
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
    assert where(local) == ["L1"]


def test_a_deletion_that_failed_is_not_rolled_back(local: LocalCloud) -> None:
    stack: Stack = local.deploy(REGION, "s", body({"A": parameter()}))
    local.faults.inject(Fault(kind="refused", logical_id="A", action="delete", times=1))
    backend = local.backend(REGION)
    backend.delete(stack)
    assert stack.resources["A"].status == "DELETE_FAILED"
    with pytest.raises(RequestRefusedError, match="DELETE_FAILED state and can not be rolled back"):
        backend.roll_back(stack)
    backend.delete(stack)
    assert stack.status == "DELETE_COMPLETE"


def bucket(name: str) -> dict[str, Any]:
    return {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": name}}


def test_deleting_a_stack_whose_rollback_failed_leaves_no_replacement_behind(local: LocalCloud) -> None:
    local.deploy(REGION, "s", body({"A": bucket("bucket-old"), "X": parameter("old")}))
    local.faults.inject(Fault(kind="refused", logical_id="Bad"))
    local.faults.inject(Fault(kind="slow", logical_id="X", action="update", times=1))
    local.faults.inject(Fault(kind="expired", logical_id="X", action="update"))
    changed = {"A": bucket("bucket-new"), "X": parameter("new"), "Bad": parameter(DependsOn=["A", "X"])}
    stack: Stack = local.deploy(REGION, "s", body(changed))
    assert stack.status == "UPDATE_ROLLBACK_FAILED"
    local.backend(REGION).delete(stack)
    assert stack.status == "DELETE_COMPLETE", stack.reason
    assert local.client("s3", REGION).list_buckets()["Buckets"] == []
