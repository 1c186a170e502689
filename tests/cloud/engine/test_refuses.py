"""What AWS refuses, the embedded cloud refuses, and nothing is left behind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from tests.cloud.fixtures import Stacks

pytestmark = pytest.mark.cloud
VPC = {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}}
PARAMETER = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": "1"}}


def after(resource: dict[str, Any], *names: str) -> dict[str, Any]:
    return {**resource, "DependsOn": list(names)}


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("resource", "reason"),
    [
        ({"Type": "AWS::Nothing::AtAll"}, "AWS::Nothing::AtAll"),
        ({"Type": "AWS::Kinesis::Stream"}, "AWS::Kinesis::Stream"),
        (
            {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16", "Cidr": "x"}},
            r"#/: extraneous key \[Cidr\] is not permitted",
        ),
        (
            {
                "Type": "AWS::EC2::LaunchTemplate",
                "Properties": {"LaunchTemplateData": {"NetworkInterfaces": [{"DeviceIndex": 0, "Card": 1}]}},
            },
            r"#/LaunchTemplateData/NetworkInterfaces/0: extraneous key \[Card\]",
        ),
        ({"Type": "AWS::EC2::SecurityGroup", "Properties": {}}, "'GroupDescription' is a required property"),
        (
            {"Type": "AWS::Logs::LogGroup", "Properties": {"RetentionInDays": 31}},
            "#/RetentionInDays: 31 is not one of",
        ),
        (
            {"Type": "AWS::Logs::LogGroup", "Properties": {"LogGroupName": "no spaces"}},
            "#/LogGroupName: .* does not match pattern",
        ),
        (
            {"Type": "AWS::Logs::LogGroup", "Properties": {"RetentionInDays": "many"}},
            "#/RetentionInDays: 'many' is not of type 'integer'",
        ),
        (
            {"Type": "AWS::Logs::LogGroup", "Properties": {"Arn": "arn:aws:logs:x"}},
            "#/Arn: read-only property cannot be set",
        ),
        (
            {
                "Type": "AWS::IAM::Role",
                "Properties": {
                    "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": []},
                    "ManagedPolicyArns": ["arn:aws:iam::aws:policy/NoSuchPolicy"],
                },
            },
            "NoSuchPolicy",
        ),
        (
            {"Type": "AWS::EC2::Subnet", "Properties": {"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/24"}},
            "vpc-1",
        ),
        (
            {
                "Type": "AWS::SSM::Parameter",
                "Properties": {"Type": "String", "Value": "{{resolve:ssm:/no/such}}"},
            },
            "/no/such",
        ),
        (
            {
                "Type": "AWS::SSM::Parameter",
                "Properties": {"Type": "String", "Value": {"Fn::ImportValue": "none"}},
            },
            "No export named none found",
        ),
        (
            {
                "Type": "AWS::SSM::Parameter",
                "Properties": {"Type": "String", "Value": {"Fn::GetAtt": ["First", "Wrong"]}},
            },
            "First does not support attribute type Wrong",
        ),
    ],
)
def test_a_resource_that_fails_is_named_with_its_reason_and_all_is_rolled_back(
    stacks: Stacks, resource: dict[str, Any], reason: str
) -> None:
    before = len(stacks.client("ec2").describe_vpcs()["Vpcs"])
    name = stacks.name()
    stacks.create({"First": VPC, "Bad": after(resource, "First")}, name)
    assert stacks.status(name) == "ROLLBACK_COMPLETE"
    assert re.search(reason, stacks.reason(name, "Bad", "CREATE_FAILED"))
    assert "[Bad]" in stacks.reason(name, name, "ROLLBACK_IN_PROGRESS")
    assert len(stacks.client("ec2").describe_vpcs()["Vpcs"]) == before
    assert stacks.ids(name) == {}


def test_every_wrong_property_is_reported_at_once(stacks: Stacks) -> None:
    name = stacks.create(
        {"Group": {"Type": "AWS::EC2::SecurityGroup", "Properties": {"Nome": 1, "VpcID": "vpc-1"}}}
    )
    reason = stacks.reason(name, "Group", "CREATE_FAILED")
    assert "[Nome]" in reason
    assert "[VpcID]" in reason
    assert "GroupDescription" in reason


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (
            {"A": after(PARAMETER, "B"), "B": after(PARAMETER, "A")},
            "Circular dependency between resources: [A, B]",
        ),
        ({"A": after(PARAMETER, "Nobody")}, "Unresolved resource dependencies [Nobody]"),
        ({"A": {"Properties": {}}}, "must contain a Type member"),
        ({"A": {**PARAMETER, "DeletionPolicy": "Keep"}}, "Unrecognized DeletionPolicy Keep"),
        (
            {"A": {**PARAMETER, "UpdateReplacePolicy": "RetainExceptOnCreate"}},
            "Unrecognized UpdateReplacePolicy",
        ),
        ({}, "At least one Resources member must be defined"),
    ],
)
def test_a_template_that_is_wrong_in_itself_is_refused_at_once(
    stacks: Stacks, template: dict[str, Any], message: str
) -> None:
    name = stacks.name()
    with pytest.raises(ClientError) as refused:
        stacks.create(template, name)
    assert refused.value.response["Error"]["Code"] == "ValidationError"
    assert message in str(refused.value)
    with pytest.raises(ClientError, match=f"Stack with id {name} does not exist"):
        stacks.status(name)


def test_parameters_are_checked_against_what_the_template_says(stacks: Stacks) -> None:
    parameters = {
        "Size": {"Type": "Number"},
        "Place": {"Type": "String", "AllowedValues": ["here"], "Default": "here"},
    }
    for settings, message in (
        ({}, r"\[Size\] must have values"),
        ({"Size": "big"}, "'Size' must be a number"),
        ({"Size": "1", "Place": "there"}, "'Place' must be one of AllowedValues"),
        ({"Size": "1", "Colour": "red"}, r"\[Colour\] do not exist in the template"),
    ):
        options = {"Parameters": [{"ParameterKey": k, "ParameterValue": v} for k, v in settings.items()]}
        with pytest.raises(ClientError, match=message):
            stacks.create({"A": PARAMETER}, Parameters=parameters, options=options)


def test_a_missing_parameter_of_parameter_store_is_named(stacks: Stacks) -> None:
    parameters = {"Version": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/no/such/path"}}
    with pytest.raises(ClientError, match=r"Unable to fetch parameters \[/no/such/path\]"):
        stacks.create({"A": PARAMETER}, Parameters=parameters)


def test_a_protected_stack_is_not_deleted(stacks: Stacks) -> None:
    name = stacks.create({"A": PARAMETER}, options={"EnableTerminationProtection": True})
    message = rf"Stack \[{name}\] cannot be deleted while TerminationProtection is enabled"
    with pytest.raises(ClientError, match=message):
        stacks.api.delete_stack(StackName=name)
    stacks.api.update_termination_protection(StackName=name, EnableTerminationProtection=False)
    stacks.api.delete_stack(StackName=name)
    with pytest.raises(ClientError, match="does not exist"):
        stacks.status(name)


def test_an_export_in_use_keeps_its_stack(stacks: Stacks) -> None:
    outputs = {"Shared": {"Value": {"Ref": "A"}, "Export": {"Name": "shared-name"}}}
    producer = stacks.create({"A": PARAMETER}, Outputs=outputs)
    value = {"Fn::ImportValue": "shared-name"}
    consumer = stacks.create(
        {"B": {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": value}}}
    )
    stacks.api.delete_stack(StackName=producer)
    assert stacks.status(producer) == "DELETE_FAILED"
    assert f"in use by {consumer}" in stacks.reason(producer, producer, "DELETE_FAILED")
    assert "A" in stacks.ids(producer)


def test_a_stack_that_was_rolled_back_must_be_deleted_before_it_is_made_again(stacks: Stacks) -> None:
    name = stacks.create({"Bad": {"Type": "AWS::Nothing::AtAll"}})
    with pytest.raises(ClientError, match="ROLLBACK_COMPLETE state and can not be updated"):
        stacks.update(name, {"A": PARAMETER})
    stacks.api.delete_stack(StackName=name)
    stacks.create({"A": PARAMETER}, name)
    assert stacks.status(name) == "CREATE_COMPLETE"


def test_an_operation_that_a_service_lacks_is_refused_in_its_own_protocol(stacks: Stacks) -> None:
    with pytest.raises(ClientError, match="UnsupportedOperation"):
        stacks.client("fsx").describe_snapshots()
    with pytest.raises(ClientError, match="UnsupportedOperation"):
        stacks.client("ec2").describe_instance_connect_endpoints()
