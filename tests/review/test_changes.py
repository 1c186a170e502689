"""What CloudFormation does with each resource, told before it does."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

import pytest

from scripts.cli.review import Action, Policy, Review, review_templates
from scripts.cloud.template.document import Template
from tests.review.support import Body, actions, codes, only, reviewed, snapshot, template

Edited = Callable[[Callable[[Body], None]], Review]

VPC: Body = {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}}
SUBNET: Body = {
    "Type": "AWS::EC2::Subnet",
    "Properties": {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "10.0.0.0/20"},
}
NAME: Body = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": "a"}}


ZONE: Body = {"Fn::Select": [0, {"Fn::GetAZs": ""}]}
PARTS: Body = {"Fn::Split": [".", {"Ref": "Vpc"}]}
BLOCKS: Body = {"Fn::GetAtt": ["Vpc", "CidrBlockAssociations"]}


def changed(resource: Body, **properties: Any) -> Body:
    return {**resource, "Properties": {**resource["Properties"], **properties}}


@pytest.mark.parametrize(
    ("old", "new", "reported"),
    [
        ({"A": NAME}, {"A": NAME, "B": NAME}, {"B": "add"}),
        ({"A": NAME, "B": NAME}, {"A": NAME}, {"B": "delete"}),
        ({"A": NAME, "B": {**NAME, "DeletionPolicy": "Retain"}}, {"A": NAME}, {"B": "retain"}),
        ({"A": NAME, "B": {**NAME, "DeletionPolicy": "RetainExceptOnCreate"}}, {"A": NAME}, {"B": "retain"}),
        ({"A": NAME}, {"A": changed(NAME, Value="b")}, {"A": "in-place"}),
        ({"A": NAME}, {"A": changed(NAME, Name="/b")}, {"A": "replace"}),
        ({"A": NAME}, {"A": changed(NAME, Type="StringList")}, {"A": "refused"}),
        ({"A": NAME}, {"A": VPC}, {"A": "refused"}),
        ({"A": NAME}, {"A": {**NAME, "DependsOn": "B"}, "B": NAME}, {"A": "untouched", "B": "add"}),
        ({"A": NAME}, {"A": {**NAME, "Metadata": {"a": 1}}}, {"A": "untouched"}),
        ({"A": NAME}, {"A": changed(NAME, Value=1)}, {"A": "in-place"}),
        ({"A": changed(NAME, Value="1")}, {"A": changed(NAME, Value=1)}, {}),
    ],
    ids=["add", "delete", "retain", "retain_except_on_create", "in_place", "replace", "refused", "other_type",
         "depends_on", "metadata", "other_value", "number_and_text"],
)  # fmt: skip
def test_a_change_is_reported_as_what_it_is(old: Body, new: Body, reported: dict[str, str]) -> None:
    assert actions(reviewed(old, new)) == reported


def test_a_template_against_itself_has_no_changes() -> None:
    review = reviewed({"A": NAME}, {"A": NAME})
    assert (review.changes, review.diagnostics, review.status) == ((), (), "unchanged")


def test_a_change_has_its_property_its_values_and_who_says_so(edited: Edited) -> None:
    def smaller(body: Body) -> None:
        body["Resources"][only(body, "AWS::FSx::FileSystem")]["Properties"]["StorageCapacity"] = 19200

    (change,) = edited(smaller).changes
    assert (change.action, change.layer, change.properties) == (
        Action.REFUSED,
        "storage",
        ("StorageCapacity",),
    )
    assert (change.edits[0].before, change.edits[0].after) == (38400, 19200)
    assert "cannot be decreased" in str(change.reason)
    assert str(change.source).startswith("https://docs.aws.amazon.com/fsx/")


def test_what_refers_to_a_replaced_resource_changes_with_it() -> None:
    old = {"Vpc": VPC, "Subnet": SUBNET, "Name": changed(NAME, Value={"Ref": "Subnet"})}
    new = {**old, "Vpc": changed(VPC, InstanceTenancy="dedicated")}
    review = reviewed(old, new)
    assert actions(review) == {"Vpc": "replace", "Subnet": "replace", "Name": "in-place"}
    (subnet,) = (change for change in review.changes if change.logical_id == "Subnet")
    assert (subnet.properties, subnet.because) == (("VpcId",), ("Vpc",))
    assert (subnet.edits[0].before, subnet.edits[0].after) == ("${Vpc}", "${Vpc (new)}")


def test_depends_on_alone_carries_no_replacement_further() -> None:
    old = {"Vpc": VPC, "Name": {**NAME, "DependsOn": "Vpc"}}
    assert actions(reviewed(old, {**old, "Vpc": changed(VPC, CidrBlock="10.1.0.0/16")})) == {"Vpc": "replace"}


def test_another_subnet_replaces_the_file_system_and_its_links(edited: Edited) -> None:
    def moved(body: Body) -> None:
        resources = body["Resources"]
        subnet = resources[only(body, "AWS::FSx::FileSystem")]["Properties"]["SubnetIds"][0]["Ref"]
        resources[subnet]["Properties"]["CidrBlock"] = "10.0.240.0/20"

    review = edited(moved)
    reported = {change.logical_id: change for change in review.changes}
    file_system = reported[only(snapshot(), "AWS::FSx::FileSystem")]
    assert (file_system.action, file_system.policy) == (Action.REPLACE, Policy.RETAIN)
    links = [change for change in review.changes if change.type == "AWS::FSx::DataRepositoryAssociation"]
    assert {(link.action, link.because) for link in links} == {(Action.REPLACE, (file_system.logical_id,))}
    assert {"REV001", "REV011"} <= set(codes(review))  # the cluster keeps its name


def test_a_new_version_of_a_launch_template_reaches_the_nodes() -> None:
    data = {"InstanceType": "p5.48xlarge"}
    group = {
        "Type": "AWS::EKS::Nodegroup",
        "Properties": {
            "ClusterName": "c",
            "NodeRole": "arn:aws:iam::123456789012:role/n",
            "Subnets": ["subnet-1"],
            "LaunchTemplate": {
                "Id": {"Ref": "Template"},
                "Version": {"Fn::GetAtt": ["Template", "LatestVersionNumber"]},
            },
        },
    }
    old = {
        "Template": {"Type": "AWS::EC2::LaunchTemplate", "Properties": {"LaunchTemplateData": data}},
        "Nodes": group,
    }
    new = {
        **old,
        "Template": changed(old["Template"], LaunchTemplateData={**data, "ImageId": "ami-0123456789abcdef0"}),
    }
    review = reviewed(old, new)
    assert actions(review) == {"Template": "in-place", "Nodes": "interruption"}
    assert "REV021" in codes(review)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"Fn::Sub": "${Vpc}-x"}, {"Fn::Join": ["-", [{"Ref": "Vpc"}, "x"]]}),
        ({"Fn::Sub": "${Vpc.CidrBlock}"}, {"Fn::GetAtt": ["Vpc", "CidrBlock"]}),
        ({"Fn::GetAtt": ["Vpc", "CidrBlock"]}, "10.0.0.0/16"),
        ({"Fn::GetAtt": "Vpc.VpcId"}, {"Fn::GetAtt": ["Vpc", "VpcId"]}),
        ({"Fn::Sub": "${AWS::Region}"}, "us-west-2"),
        ({"Ref": "Size"}, "8"),
        ({"Fn::If": ["Big", "a", "b"]}, "b"),
        ({"Fn::FindInMap": ["Sizes", {"Ref": "AWS::Region"}, "nodes"]}, "16"),
        ({"Fn::Select": ["1", {"Fn::Split": [",", "a,b"]}]}, "b"),
        (ZONE, {"Fn::Select": ["0", {"Fn::GetAZs": {"Ref": "AWS::Region"}}]}),
        ({"Fn::Base64": "x"}, "eA=="),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_the_same_value_written_differently_is_no_change(old: Any, new: Any) -> None:
    sections: Body = {
        "Parameters": {"Size": {"Type": "Number", "Default": 8}},
        "Conditions": {"Big": {"Fn::Equals": [{"Ref": "Size"}, "16"]}},
        "Mappings": {"Sizes": {"us-west-2": {"nodes": 16}}},
    }
    resources = [{"Vpc": VPC, "Name": changed(NAME, Value=value)} for value in (old, new)]
    assert reviewed(*resources, **sections).changes == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"Fn::Select": [0, PARTS]}, {"Fn::Select": [1, PARTS]}),
        ({"Fn::Join": [",", BLOCKS]}, {"Fn::Join": [";", BLOCKS]}),
        ({"Fn::ImportValue": "a"}, {"Fn::ImportValue": "b"}),
        ("{{resolve:ssm:/data/v1/id}}", "{{resolve:ssm:/data/v2/id}}"),
        ({"Ref": "Vpc"}, {"Fn::GetAtt": ["Vpc", "DefaultSecurityGroup"]}),
        ({"Fn::Base64": {"Fn::Sub": "a ${Vpc}"}}, {"Fn::Base64": {"Fn::Sub": "b ${Vpc}"}}),
        ({"Ref": "AWS::StackName"}, {"Ref": "AWS::StackId"}),
        ({"Ref": "Secret"}, {"Ref": "Other"}),
        ({"Ref": "Read"}, {"Ref": "ReadElsewhere"}),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_values_that_only_a_deployment_knows_are_distinguished(old: Any, new: Any) -> None:
    path = {"Type": "AWS::SSM::Parameter::Value<String>"}
    parameters = {
        "Secret": {"Type": "String", "NoEcho": True, "Default": "hush"},
        "Other": {"Type": "String", "NoEcho": True, "Default": "quiet"},
        "Read": {**path, "Default": "/a"},
        "ReadElsewhere": {**path, "Default": "/b"},
    }
    resources = [{"Vpc": VPC, "Name": changed(NAME, Value=value)} for value in (old, new)]
    (change,) = reviewed(*resources, Parameters=parameters).changes
    assert change.action is Action.IN_PLACE
    reported = f"{change.edits[0].before} {change.edits[0].after}"
    assert not {"hush", "quiet", "KNOWN_AFTER_APPLY"} & set(reported.split())


def test_a_condition_that_turns_makes_or_deletes() -> None:
    old = {"A": NAME, "B": {**NAME, "Condition": "Wanted"}}
    sections = [
        {"Conditions": {"Wanted": {"Fn::Equals": [{"Ref": "Wanted"}, "yes"]}}, "Parameters": {
            "Wanted": {"Type": "String", "Default": default}}}
        for default in ("yes", "no")
    ]  # fmt: skip
    with_b, without = (template(old, **section) for section in sections)
    assert actions(review_templates(with_b, without, region="us-west-2")) == {"B": "delete"}
    assert actions(review_templates(without, with_b, region="us-west-2")) == {"B": "add"}


def test_secret_values_are_not_shown() -> None:
    database = {"Type": "AWS::RDS::DBCluster", "Properties": {"MasterUserPassword": "one"}}
    secret = {"Type": "AWS::SecretsManager::Secret", "Properties": {"SecretString": "one"}}
    old = {"Database": database, "Secret": secret}
    new = {
        "Database": changed(database, MasterUserPassword="two"),
        "Secret": changed(secret, SecretString="two"),
    }
    review = reviewed(old, new)
    assert len(review.changes) == 2
    text = f"{review.changes} {review.diagnostics}"
    assert "'one'" not in text
    assert "'two'" not in text


def test_each_resource_is_reported_with_its_layer(edited: Edited) -> None:
    def tagged(body: Body) -> None:
        for declared in body["Resources"].values():
            if isinstance(declared["Properties"].get("Tags"), list):
                declared["Properties"]["Tags"].append({"Key": "team", "Value": "a"})

    layers = {change.layer for change in edited(tagged).changes}
    assert layers == {"network", "storage", "observability", "orchestration"}


def test_changes_come_in_the_order_of_their_danger(edited: Edited) -> None:
    def many(body: Body) -> None:
        resources = body["Resources"]
        resources["StorageKeyBAA9457B"]["Properties"]["Description"] = "other"
        resources[only(body, "AWS::APS::Workspace")]["Properties"]["KmsKeyArn"] = (
            "arn:aws:kms:us-west-2:123456789012:key/a"
        )
        cluster = resources[only(body, "AWS::SageMaker::Cluster")]["Properties"]
        cluster["InstanceGroups"][2]["InstanceCount"] = 4
        resources["StorageNew"] = {"Type": "AWS::S3::Bucket"}

    reported = [change.action.value for change in edited(many).changes]
    # rules go to the new workspace; roles, topics and dashboards name it
    assert [action for action, _ in groupby(reported)] == [
        "replace",
        "interruption",
        "replace",
        "in-place",
        "add",
    ]


def test_other_templates_have_resources_of_no_layer() -> None:
    (change,) = reviewed({"A": NAME}, {"A": changed(NAME, Value="b")}).changes
    assert change.layer == "other"


def test_the_templates_are_left_as_they_are() -> None:
    body = snapshot()
    template = Template("", body)
    review_templates(template, template, region="us-west-2")
    assert body == snapshot()
