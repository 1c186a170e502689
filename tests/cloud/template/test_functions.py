"""Intrinsic functions, parameters, order and schemas, without a cloud."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scripts.cloud.resources.registry import modelled_types
from scripts.cloud.template.document import Template
from scripts.cloud.template.errors import RequestRefusedError, ResourceFailedError
from scripts.cloud.template.functions import KNOWN_AFTER_APPLY, resolve, truth
from scripts.cloud.template.graph import dependencies, in_order
from scripts.cloud.template.schema import changed_paths, is_create_only, validated


class Fixed:
    """Values that are always the same."""

    mappings: dict[str, Any] = {"Zones": {"us-east-1": {"first": "use1-az6"}}}  # noqa: RUF012 - a test's constant

    def ref(self, name: str) -> Any:
        return {"Vpc": "vpc-1", "AWS::Region": "us-east-1", "Later": KNOWN_AFTER_APPLY}[name]

    def attribute(self, logical_id: str, name: str) -> Any:
        return KNOWN_AFTER_APPLY if logical_id == "Later" else f"{logical_id}/{name}"

    def condition(self, name: str) -> bool:
        return name == "Yes"

    def exported(self, name: str) -> Any:
        return f"export {name}"

    def zones(self, region: str) -> list[str]:
        return [f"{region}a"]

    def dynamic(self, service: str, key: str) -> str:
        return f"<{service} {key}>"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ({"Ref": "Vpc"}, "vpc-1"),
        ({"Fn::GetAtt": ["Vpc", "Arn"]}, "Vpc/Arn"),
        ({"Fn::GetAtt": "Vpc.Nested.Arn"}, "Vpc/Nested.Arn"),
        ({"Fn::Join": ["-", ["a", {"Ref": "Vpc"}, 3, True]]}, "a-vpc-1-3-true"),
        ({"Fn::Sub": "${Vpc} ${Vpc.Arn} ${!Vpc} ${AWS::Region}"}, "vpc-1 Vpc/Arn ${Vpc} us-east-1"),
        ({"Fn::Sub": ["${x}/${Vpc}", {"x": {"Ref": "AWS::Region"}}]}, "us-east-1/vpc-1"),
        ({"Fn::Select": ["1", {"Fn::Split": [",", "a,b"]}]}, "b"),
        ({"Fn::If": ["Yes", 1, 2]}, 1),
        ({"a": {"Fn::If": ["No", 1, {"Ref": "AWS::NoValue"}]}, "b": [{"Ref": "AWS::NoValue"}]}, {"b": []}),
        ({"Fn::FindInMap": ["Zones", {"Ref": "AWS::Region"}, "first"]}, "use1-az6"),
        ({"Fn::FindInMap": ["Zones", "x", "y", {"DefaultValue": "none"}]}, "none"),
        ({"Fn::Base64": "#!"}, "IyE="),
        ({"Fn::Cidr": ["10.0.0.0/16", 2, 8]}, ["10.0.0.0/24", "10.0.1.0/24"]),
        ({"Fn::GetAZs": ""}, ["us-east-1a"]),
        ({"Fn::ImportValue": "name"}, "export name"),
        ({"Fn::ToJsonString": {"a": {"Ref": "Vpc"}}}, '{"a":"vpc-1"}'),
        ({"Fn::Length": [1, 2]}, 2),
        ("s3://{{resolve:ssm:/a/b:1}}/x", "s3://<ssm /a/b:1>/x"),
        ({"Fn::Select": [1, {"Fn::Split": [",", {"Ref": "Later"}]}]}, KNOWN_AFTER_APPLY),
        ({"Fn::Join": ["", ["a", {"Fn::GetAtt": ["Later", "Arn"]}]]}, "a" + KNOWN_AFTER_APPLY),
    ],
)
def test_a_function_gives_its_value(written: Any, value: Any) -> None:
    assert resolve(written, Fixed()) == value


def test_an_unknown_function_is_named() -> None:
    with pytest.raises(ResourceFailedError, match="Fn::Guess"):
        resolve({"Fn::Guess": []}, Fixed())


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ({"Fn::Equals": ["true", True]}, True),
        ({"Fn::Not": [{"Condition": "Yes"}]}, False),
        ({"Fn::And": [{"Condition": "Yes"}, {"Condition": "No"}]}, False),
        ({"Fn::Or": [{"Condition": "Yes"}, {"Condition": "No"}]}, True),
    ],
)
def test_a_condition_holds_or_not(condition: Any, holds: bool) -> None:
    assert truth(condition, Fixed()) is holds


def test_a_resource_follows_what_it_refers_to_in_any_form() -> None:
    kind = {"Type": "AWS::EC2::VPC"}
    template = Template.parse(
        json.dumps(
            {
                "Resources": {
                    "D": {**kind, "Properties": {"x": {"Fn::Sub": "${C.Arn}"}}},
                    "C": {**kind, "Properties": {"x": [{"Fn::GetAtt": ["B", "Arn"]}]}},
                    "B": {**kind, "DependsOn": "A"},
                    "A": kind,
                }
            }
        )
    )
    assert in_order(dependencies(template)) == ["A", "B", "C", "D"]


def test_the_short_forms_of_yaml_are_read() -> None:
    text = "Resources: {A: {Type: 'AWS::EC2::VPC', Properties: {x: !GetAtt B.Arn, y: !Ref B}}}"
    properties = Template.parse(text).resources["A"]["Properties"]
    assert properties == {"x": {"Fn::GetAtt": ["B", "Arn"]}, "y": {"Ref": "B"}}


def test_what_is_no_template_is_refused() -> None:
    with pytest.raises(RequestRefusedError, match="not well-formed"):
        Template.parse("{")
    with pytest.raises(RequestRefusedError, match="Resorces"):
        Template.parse('{"Resorces": {}}')


def test_values_take_the_type_that_the_schema_names() -> None:
    group = validated("us-east-1", "AWS::Logs::LogGroup", {"RetentionInDays": "30", "LogGroupName": "a"})
    assert group["RetentionInDays"] == 30
    vpc = validated("us-east-1", "AWS::EC2::VPC", {"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": "true"})
    assert vpc["EnableDnsSupport"] is True


def test_a_change_is_named_by_its_path_and_known_to_replace_or_not() -> None:
    paths = changed_paths(
        {"SubnetIds": ["a"], "LustreConfiguration": {"DeploymentType": "x"}},
        {"SubnetIds": ["b"], "LustreConfiguration": {"DeploymentType": "x"}, "StorageCapacity": 1},
    )
    assert paths == [("StorageCapacity",), ("SubnetIds", "0")]
    kind = "AWS::FSx::FileSystem"
    assert [is_create_only("us-east-1", kind, path) for path in paths] == [False, True]


def test_every_modelled_type_has_a_schema() -> None:
    for kind in modelled_types():
        if kind != "AWS::CDK::Metadata":
            with pytest.raises(ResourceFailedError, match=r"extraneous key \[Nonsense\]"):
                validated("us-east-1", kind, {"Nonsense": 1})
