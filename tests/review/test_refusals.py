"""What will not go through, what interrupts, and what changes beside the resources."""

from __future__ import annotations

from typing import Any

import pytest

from config.cluster import load_cluster
from config.profile.source.reference import built_in_names
from config.profile.source.schema import keys_at
from config.review.codes import CODES
from config.rules.codes import CODES as ALL_CODES
from scripts.cli.review import UnusableError, review_templates
from scripts.cli.review.keys import PROFILE_KEYS
from tests.review.support import Body, actions, codes, reviewed, snapshot, template
from tests.tables import each_row

NAME: Body = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": "a"}}


def test_another_type_under_the_same_id_is_refused() -> None:
    review = reviewed({"A": NAME}, {"A": {"Type": "AWS::EC2::InternetGateway"}})
    (found,) = review.diagnostics
    assert (found.code, found.severity.value) == ("REV012", "error")
    assert "from AWS::SSM::Parameter to AWS::EC2::InternetGateway" in found.message


def test_properties_that_the_schema_refuses_are_reported_for_what_is_touched() -> None:
    wrong = {"Type": "AWS::Logs::LogGroup", "Properties": {"RetentionInDays": 7, "Retention": 7}}
    assert codes(reviewed({"A": NAME}, {"A": NAME, "B": wrong})) == ["REV013"]
    assert codes(reviewed({"B": wrong}, {"B": wrong})) == []
    (found,) = reviewed({"A": NAME}, {"A": NAME, "B": wrong}).diagnostics
    assert "extraneous key [Retention]" in found.message


def test_what_the_services_api_refuses_is_reported_with_its_property() -> None:
    group = {"Type": "AWS::PCS::Queue", "Properties": {"ClusterId": "pcs_a", "Name": "no"}}
    review = reviewed({"A": NAME}, {"A": NAME, "B": group})
    assert actions(review) == {"B": "refused"}
    (found,) = review.diagnostics
    assert (found.code, found.path) == ("REV015", "B/Name")
    assert "the minimum is 3" in found.message


def linked(**lustre: Any) -> Body:
    properties = {
        "FileSystemType": "LUSTRE",
        "StorageCapacity": 4800,
        "SubnetIds": ["subnet-0123456789abcdef0"],
        "LustreConfiguration": {
            "DeploymentType": "PERSISTENT_2",
            "PerUnitStorageThroughput": 250,
            **lustre,
        },
    }
    link = {
        "FileSystemId": {"Ref": "Files"},
        "FileSystemPath": "/d",
        "DataRepositoryPath": "s3://bucket-one",
    }
    return {
        "Files": {"Type": "AWS::FSx::FileSystem", "Properties": properties},
        "Link": {"Type": "AWS::FSx::DataRepositoryAssociation", "Properties": link},
    }


def test_a_rule_over_two_resources_is_broken_by_a_change_of_one() -> None:
    review = reviewed(linked(), linked(AutomaticBackupRetentionDays=7))
    assert actions(review) == {"Files": "in-place"}
    (found,) = review.diagnostics
    assert (found.code, found.severity.value, found.path) == ("LUS011", "warning", "Link/FileSystemId")
    assert "does not change, but it no longer fits the changed resources" in found.message
    backups = linked(AutomaticBackupRetentionDays=7)
    assert codes(reviewed(backups, linked(AutomaticBackupRetentionDays=8))) == []  # it was so before


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", built_in_names())
def test_nothing_of_a_built_in_template_is_held_against_it(name: str) -> None:
    old, new = snapshot(name)["Resources"], snapshot(name)["Resources"]
    for declared in new.values():
        declared["Properties"]["Tags"] = [{"Key": "team", "Value": "a"}]
    tagged = {n: d for n, d in new.items() if isinstance(old[n]["Properties"].get("Tags"), list)}
    design = load_cluster(name).design
    assert design is not None
    region = design.profile.region
    found = reviewed(old, {**old, **tagged}, region=region).diagnostics
    assert {c.severity.value for c in found} <= {"warning"}
    assert reviewed({"A": NAME}, {"A": NAME, **old}, region=region).diagnostics == ()


def test_values_known_only_later_are_not_held_against_the_schema() -> None:
    first = {"Fn::Select": [0, {"Fn::Split": [",", {"Ref": "Ids"}]}]}
    group = {
        "Type": "AWS::EC2::SecurityGroup",
        "Properties": {"GroupDescription": "a", "VpcId": first},
    }
    assert codes(reviewed({"A": NAME}, {"A": NAME, "B": group}, Parameters={"Ids": {"Type": "String"}})) == []


def test_a_type_that_nobody_knows_is_a_warning() -> None:
    old = {"A": {"Type": "Example::Service::Thing", "Properties": {"Size": 1}}}
    new = {"A": {"Type": "Example::Service::Thing", "Properties": {"Size": 2}}}
    review = reviewed(old, new)
    assert (actions(review), codes(review)) == ({"A": "in-place"}, ["REV014"])


def test_custom_resources_are_their_providers_business() -> None:
    old = {"A": {"Type": "Custom::Thing", "Properties": {"ServiceToken": "arn:a", "Size": 1}}}
    new = {"A": {"Type": "Custom::Thing", "Properties": {"ServiceToken": "arn:a", "Size": 2}}}
    assert (actions(reviewed(old, new)), codes(reviewed(old, new))) == ({"A": "in-place"}, [])


def test_an_interruption_says_what_interrupts() -> None:
    def key(enabled: bool) -> Body:
        return {"Type": "AWS::KMS::Key", "Properties": {"KeyPolicy": {}, "Enabled": enabled}}

    (found,) = reviewed({"A": key(True)}, {"A": key(False)}).diagnostics
    assert (found.code, found.path) == ("REV020", "A/Enabled")
    assert "Enabled changes from true to false: data that the key encrypts cannot be read" in found.message


def test_what_changes_alike_in_many_groups_is_reported_once() -> None:
    def cluster(script: str) -> Body:
        groups = [
            {
                "InstanceGroupName": name,
                "InstanceType": "ml.m5.4xlarge",
                "InstanceCount": 1,
                "ExecutionRole": "arn:aws:iam::123456789012:role/nodes",
                "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-a/", "OnCreate": script},
            }
            for name in ("a", "b", "c", "d", "e")
        ]
        return {"Type": "AWS::SageMaker::Cluster", "Properties": {"InstanceGroups": groups}}

    (found,) = reviewed({"A": cluster("one.sh")}, {"A": cluster("two.sh")}).diagnostics
    assert (found.code, found.severity.value, found.path) == ("REV023", "note", "A")
    assert "and 2 more change: only new nodes use the new setting" in found.message


EXPORTED: Body = {"Id": {"Value": "a", "Export": {"Name": "id"}}}


@pytest.mark.parametrize(
    ("old", "new", "reported"),
    [
        ({"Id": {"Value": "a"}}, {}, ["REV042"]),
        (EXPORTED, {}, ["REV041"]),
        (EXPORTED, {"Id": {"Value": "b", "Export": {"Name": "id"}}}, ["REV041"]),
        (EXPORTED, {"Other": EXPORTED["Id"]}, []),
        ({"Id": {"Value": "a"}}, {"Id": {"Value": "b"}}, []),
        ({}, EXPORTED, []),
    ],
    ids=["output_gone", "export_gone", "export_changed", "export_of_another_output", "value", "added"],
)
def test_outputs_and_exports_that_somebody_reads(old: Body, new: Body, reported: list[str]) -> None:
    before, after = template({"A": NAME}, Outputs=old), template({"A": NAME}, Outputs=new)
    assert codes(review_templates(before, after, region="us-west-2")) == reported


def test_a_new_default_of_a_parameter_reaches_no_deployed_stack() -> None:
    before, after = (
        template({"A": NAME}, Parameters={"Size": {"Type": "String", "Default": size}}) for size in "ab"
    )
    (found,) = review_templates(before, after, region="us-west-2").diagnostics
    assert (found.code, found.path) == ("REV043", "Parameters/Size")


def valued(value: Any) -> Body:
    return {"A": {"Type": NAME["Type"], "Properties": {"Value": value}}}


UNREADABLE = [
    ("a_name_that_is_not_there", {"A": {**NAME, "DependsOn": "B"}}, {}, "[B]"),
    ("a_circle", {"A": {**NAME, "DependsOn": "B"}, "B": {**NAME, "DependsOn": "A"}}, {}, "A, B"),
    ("no_such_mapping", valued({"Fn::FindInMap": ["a", "b", "c"]}), {}, "mapping for a::b::c"),
    ("no_such_function", valued({"Fn::Guess": []}), {}, "the function Fn::Guess"),
    ("a_function_written_wrongly", valued({"Fn::If": "a"}), {}, "a function has invalid arguments"),
    ("no_such_condition", {"A": {**NAME, "Condition": "B"}}, {}, "condition dependency B"),
    (
        "no_properties",
        {"A": {"Type": NAME["Type"], "Properties": {"Ref": "AWS::NoValue"}}},
        {},
        "not a mapping",
    ),
    ("an_output_of_nothing", {"A": NAME}, {"Outputs": {"O": {"Value": {"Ref": "B"}}}}, "Outputs block"),
]


@pytest.mark.parametrize(
    ("resources", "sections", "message"), [r[1:] for r in UNREADABLE], ids=[r[0] for r in UNREADABLE]
)
def test_a_template_that_cloudformation_would_not_read_is_said_to_be_so(
    resources: Body, sections: dict[str, Any], message: str
) -> None:
    with pytest.raises(UnusableError) as reported:
        review_templates(template({"A": NAME}), template(resources, **sections), region="us-west-2")
    (problem,) = reported.value.problems
    assert problem.startswith("the new template: ")
    assert message in problem


def test_the_problems_of_both_templates_are_reported_at_once() -> None:
    wrong = template({"A": {**NAME, "DependsOn": "Lost"}})
    with pytest.raises(UnusableError) as reported:
        review_templates(wrong, wrong, region="us-west-2")
    assert [problem.split(":")[0] for problem in reported.value.problems] == [
        "the old template",
        "the new template",
    ]


def test_every_code_has_a_number_of_its_own_and_says_why() -> None:
    numbers = [code.code for code in CODES]
    assert len(set(numbers)) == len(numbers)
    for code in CODES:
        assert code.why.endswith(".")
        assert code.code in ALL_CODES
        assert not code.holds.endswith(".")
        assert code.source.startswith("https://")


@each_row("key", sorted({key for keys in PROFILE_KEYS.values() for key in keys.values()}))
def test_hints_name_keys_that_a_profile_has(key: str) -> None:
    path: list[str | int] = []
    for part in key.split("."):
        path += [part.removesuffix("[]"), *([0] if part.endswith("[]") else [])]
    where = path[:-1] if isinstance(path[-1], str) else path[:-2]
    data: Any = {"network": {"kind": "new"}, "storage": {"lustre": {"kind": "new"}, "home": {"kind": "new"}}}
    assert str(path[-1] if isinstance(path[-1], str) else path[-2]) in keys_at(tuple(where), data)


def test_what_a_service_takes_and_is_unwise_is_a_warning_and_refuses_nothing() -> None:
    def nodes(script: str) -> Body:
        data = {"UserData": {"Fn::Base64": f"#!/bin/bash\n{script}\n"}}
        return {"A": {"Type": "AWS::EC2::LaunchTemplate", "Properties": {"LaunchTemplateData": data}}}

    review = reviewed(nodes("true"), nodes("apt-get install -y htop"))
    (reported,) = [d for d in review.diagnostics if d.code == "NET010"]
    assert (reported.severity, "is not recommended" in reported.message) == ("warning", True)
    assert actions(review) == {"A": "in-place"}
