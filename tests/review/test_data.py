"""What keeps data: replaced, deleted, left behind, renamed, unprotected."""

from __future__ import annotations

import json
from typing import Any

import pytest

from config.diagnostics import Severity
from config.review.stateful import STATEFUL
from scripts.cli.review import Review, review_templates
from scripts.cloud.template.provider_schemas import known_schema
from tests.review.support import Body, codes, reviewed, snapshot, template

BUCKET: Body = {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "one"}}
WORKSPACE: Body = {"Type": "AWS::APS::Workspace", "Properties": {}}
KEYED: Body = {
    "Type": "AWS::APS::Workspace",
    "Properties": {"KmsKeyArn": "arn:aws:kms:us-west-2:123456789012:key/0"},
}
FILE_SYSTEM: Body = {
    "Type": "AWS::FSx::FileSystem",
    "Properties": {
        "FileSystemType": "LUSTRE",
        "StorageCapacity": 4800,
        "SubnetIds": ["subnet-0123456789abcdef0"],
        "LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250},
    },
}
OTHER: Body = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": "a"}}
RETAIN: Body = {"DeletionPolicy": "RetainExceptOnCreate", "UpdateReplacePolicy": "Retain"}


def only_finding(review: Review) -> Any:
    (found,) = review.diagnostics
    return found


def moved(resource: Body) -> Body:
    properties = {**resource["Properties"], "SubnetIds": ["subnet-0123456789abcdef1"]}
    return {**resource, "Properties": properties}


def test_a_replaced_file_system_is_an_error_with_a_way_out() -> None:
    found = only_finding(reviewed({"A": FILE_SYSTEM}, {"A": moved(FILE_SYSTEM)}))
    assert (found.code, found.severity, found.path) == ("REV001", Severity.ERROR, "A")
    assert "the new resource is empty; the old resource is deleted, and you lose its files" in found.message
    assert "subnet-0123456789abcdef0 to subnet-0123456789abcdef1" in found.message
    assert "restore the old value of `SubnetIds/0` of resource `A`" in found.hint


def test_a_retained_file_system_that_is_replaced_is_an_error_too() -> None:
    found = only_finding(reviewed({"A": {**FILE_SYSTEM, **RETAIN}}, {"A": moved({**FILE_SYSTEM, **RETAIN})}))
    assert (found.code, found.severity) == ("REV001", Severity.ERROR)
    assert (
        "the new resource is empty; the old resource is retained, unmanaged and still billed" in found.message
    )


def test_the_policy_of_the_new_template_decides_on_a_replacement() -> None:
    found = reviewed({"A": FILE_SYSTEM}, {"A": moved({**FILE_SYSTEM, **RETAIN})}).diagnostics
    assert "is retained, unmanaged and still billed" in found[0].message


@pytest.mark.parametrize(
    ("policies", "code", "severity", "message"),
    [
        ({}, "REV002", "error", "you lose its files"),
        ({"DeletionPolicy": "Delete"}, "REV002", "error", "you lose its files"),
        ({"DeletionPolicy": "Snapshot"}, "REV002", "error", "only a snapshot is retained"),
        (RETAIN, "REV003", "warning", "retained, unmanaged and still billed"),
    ],
    ids=["no_policy", "delete", "snapshot", "retain"],
)
def test_what_becomes_of_deleted_data_follows_the_policy(
    policies: Body, code: str, severity: str, message: str
) -> None:
    found = only_finding(reviewed({"A": {**FILE_SYSTEM, **policies}, "B": OTHER}, {"B": OTHER}))
    assert (found.code, found.severity.value) == (code, severity)
    assert message in found.message


def test_a_database_without_a_policy_leaves_a_snapshot() -> None:
    database = {"Type": "AWS::RDS::DBCluster", "Properties": {"Engine": "aurora-mysql"}}
    found = only_finding(reviewed({"A": database, "B": OTHER}, {"B": OTHER}))
    assert "only a snapshot is retained" in found.message


def test_the_hint_names_what_lies_at_the_bottom_of_it() -> None:
    body = snapshot()
    (vpc,) = (n for n, declared in body["Resources"].items() if declared["Type"] == "AWS::EC2::VPC")
    new = json.loads(json.dumps(body))
    new["Resources"][vpc]["Properties"]["CidrBlock"] = "10.1.0.0/16"
    review = review_templates(
        template(body["Resources"]), template(new["Resources"]), region="us-west-2", stack="p6-b200"
    )
    (lost,) = (d for d in review.diagnostics if d.code == "REV001")
    assert lost.hint.startswith("restore the old value of `network.vpc_cidr`")


def test_data_that_may_be_replaced_is_a_warning() -> None:
    database = {"Type": "AWS::RDS::DBCluster", "Properties": {"Engine": "aurora-mysql"}}
    other = {"Type": "AWS::RDS::DBCluster", "Properties": {"Engine": "aurora-postgresql"}}
    found = only_finding(reviewed({"A": database}, {"A": other}))
    assert (found.code, found.severity) == ("REV005", Severity.WARNING)


def test_other_resources_may_come_and_go() -> None:
    assert reviewed({"A": OTHER, "B": OTHER}, {"A": OTHER}).diagnostics == ()


@pytest.mark.parametrize("policies", [{}, RETAIN], ids=["deleted", "left_behind"])
def test_a_renamed_logical_id_is_reported_as_a_new_empty_resource(policies: Body) -> None:
    old = {"A": {**FILE_SYSTEM, **policies}}
    review = reviewed({**old, "B": OTHER}, {"New": old["A"], "B": OTHER})
    found = only_finding(review)
    assert (found.code, found.severity, found.path) == ("REV004", Severity.ERROR, "New")
    assert (
        "the logical id of AWS::FSx::FileSystem changes from A to New: the new resource is empty"
        in found.message
    )
    assert ("is retained, unmanaged" if policies else "you lose its files") in found.message
    assert "keep the logical id A" in found.hint


def test_a_rename_is_seen_through_renamed_neighbours() -> None:
    def stack(vpc: str, subnet: str, file_system: str) -> Body:
        return {
            vpc: {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
            subnet: {
                "Type": "AWS::EC2::Subnet",
                "Properties": {"VpcId": {"Ref": vpc}, "CidrBlock": "10.0.0.0/20"},
            },
            file_system: {
                **FILE_SYSTEM,
                "Properties": {**FILE_SYSTEM["Properties"], "SubnetIds": [{"Ref": subnet}]},
            },
        }

    review = reviewed(stack("Vpc", "Subnet", "Files"), stack("NetVpc", "NetSubnet", "Lustre"))
    assert codes(review) == ["REV004"]


def test_a_rename_that_keeps_a_name_meets_itself() -> None:
    review = reviewed({"A": BUCKET}, {"B": BUCKET})
    assert sorted(codes(review)) == ["REV004", "REV011"]
    (taken,) = (d for d in review.diagnostics if d.code == "REV011")
    assert "needs one, which A still has when" in taken.message


@pytest.mark.parametrize("attribute", ["DeletionPolicy", "UpdateReplacePolicy"])
def test_a_policy_that_no_longer_keeps_data_is_a_warning(attribute: str) -> None:
    weaker = {**WORKSPACE, **RETAIN, attribute: "Delete"}
    review = reviewed({"A": {**WORKSPACE, **RETAIN}}, {"A": weaker})
    found = only_finding(review)
    assert (found.code, found.severity) == ("REV040", Severity.WARNING)
    assert f"loses its {attribute}" in found.message
    assert review.changes[0].attributes == (attribute,)
    assert reviewed({"A": weaker}, {"A": {**WORKSPACE, **RETAIN}}).diagnostics == ()
    assert reviewed({"A": {**OTHER, **RETAIN}}, {"A": OTHER}).diagnostics == ()


def test_a_guard_that_is_taken_off_is_a_warning() -> None:
    def database(guard: bool) -> Body:
        return {"Type": "AWS::RDS::DBCluster", "Properties": {"DeletionProtection": guard}}

    assert codes(reviewed({"A": database(True)}, {"A": database(False)})) == ["REV040"]
    assert codes(reviewed({"A": database(False)}, {"A": database(True)})) == []


def test_tags_of_a_file_system_that_is_linked_to_s3_are_a_warning() -> None:
    link = {
        "Type": "AWS::FSx::DataRepositoryAssociation",
        "Properties": {
            "FileSystemId": {"Ref": "A"},
            "FileSystemPath": "/d",
            "DataRepositoryPath": "s3://bucket-one",
        },
    }
    tagged = {
        **FILE_SYSTEM,
        "Properties": {**FILE_SYSTEM["Properties"], "Tags": [{"Key": "a", "Value": "b"}]},
    }
    assert codes(reviewed({"A": FILE_SYSTEM, "L": link}, {"A": tagged, "L": link})) == ["REV044"]
    assert codes(reviewed({"A": FILE_SYSTEM}, {"A": tagged})) == []


def test_what_keeps_data_is_a_type_that_exists() -> None:
    assert all(known_schema("us-east-1", kind) for kind in STATEFUL)


def test_a_key_of_metrics_is_replaced_with_its_metrics() -> None:
    found = only_finding(reviewed({"A": WORKSPACE}, {"A": KEYED}))
    assert found.code == "REV001"
    assert "KmsKeyArn: (not set) to" in found.message


def logs(days: int | None) -> Body:
    properties = {"LogGroupName": "/a"} if days is None else {"LogGroupName": "/a", "RetentionInDays": days}
    return {"Type": "AWS::Logs::LogGroup", "Properties": properties}


@pytest.mark.parametrize(
    ("was", "will", "reported"), [(90, 30, True), (None, 30, True), (30, 90, False), (30, None, False)]
)
def test_a_shorter_retention_is_a_warning_that_older_data_goes(
    was: int | None, will: int | None, reported: bool
) -> None:
    assert ("REV024" in codes(reviewed({"A": logs(was)}, {"A": logs(will)}))) is reported


@pytest.mark.parametrize("kind", ["AWS::Grafana::Workspace", "AWS::Logs::LogGroup"])
def test_deleting_dashboards_or_logs_is_an_error(kind: str) -> None:
    subnet: Body = {"Type": kind, "Properties": {}}
    assert "REV002" in codes(reviewed({"A": subnet, "B": OTHER}, {"B": OTHER}))


def test_resources_that_depend_on_an_irreplaceable_subnet_are_reported_too() -> None:
    subnet: Body = {
        "Type": "AWS::EC2::Subnet",
        "Properties": {"VpcId": "vpc-12345678", "CidrBlock": "10.0.0.0/20", "AvailabilityZoneId": "usw2-az1"},
    }
    other = {**subnet, "Properties": {**subnet["Properties"], "AvailabilityZoneId": "usw2-az2"}}
    system = {**FILE_SYSTEM, "Properties": {**FILE_SYSTEM["Properties"], "SubnetIds": [{"Ref": "Net"}]}}
    found = codes(reviewed({"Net": subnet, "Lustre": system}, {"Net": other, "Lustre": system}))
    assert "REV001" in found


def test_a_resource_whose_condition_only_a_deployment_knows_is_looked_at() -> None:
    sections: dict[str, Any] = {
        "Parameters": {"Q": {"Type": "String"}},
        "Conditions": {"C": {"Fn::Equals": [{"Ref": "Q"}, "yes"]}},
    }
    kept = {"A": {**BUCKET, "Condition": "C"}, "B": OTHER}
    assert "REV002" in codes(reviewed(kept, {"B": OTHER}, **sections))


def published(version: str, keys: list[str]) -> Body:
    names = {key: f"/ultracluster/data/v1-{version}/{key}" for key in keys}
    return {
        key: {**OTHER, **RETAIN, "Properties": {"Type": "String", "Value": "a", "Name": name}}
        for key, name in names.items()
    }


def test_paths_of_another_version_are_reported_as_those_that_stay_and_those_that_come() -> None:
    keys = ["vpc", "subnet"]
    review = reviewed(published("0a", keys), published("0b", keys))
    stay, come = (found for found in review.diagnostics if found.code == "REV006")
    assert "--names /ultracluster/data/v1-0a/subnet /ultracluster/data/v1-0a/vpc`" in stay.hint
    assert "--names /ultracluster/data/v1-0b/subnet /ultracluster/data/v1-0b/vpc`" in come.hint
    assert stay.path == come.path == "subnet, vpc"


def test_more_paths_than_one_call_deletes_are_left_to_the_command_that_looks_for_readers() -> None:
    keys = [f"key{number:02}" for number in range(12)]
    review = reviewed(published("0a", keys), published("0a", keys[:1]))
    (found,) = (found for found in review.diagnostics if found.code == "REV006")
    assert "11 published paths are removed" in found.message
    assert "aws ssm" not in found.hint
    assert "make deploy PROFILE=... AWS=1" in found.hint
