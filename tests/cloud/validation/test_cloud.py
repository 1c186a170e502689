"""Validation where it is used: the embedded cloud's events, a review, and how much it does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scripts.cloud.local import local_cloud
from scripts.cloud.validation import problems
from tests.calls import calls_of
from tests.cloud.validation.test_clean import SNAPSHOTS, resources_of

REGION = "us-west-2"
NETWORK: dict[str, Any] = {
    "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
    "Subnet": {
        "Type": "AWS::EC2::Subnet",
        "Properties": {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "10.0.0.0/20", "AvailabilityZone": "us-west-2a"},
    },
    "Group": {
        "Type": "AWS::EC2::SecurityGroup",
        "Properties": {"VpcId": {"Ref": "Vpc"}, "GroupDescription": "servers"},
    },
    "Ingress": {
        "Type": "AWS::EC2::SecurityGroupIngress",
        "Properties": {
            "GroupId": {"Fn::GetAtt": ["Group", "GroupId"]},
            "IpProtocol": "-1",
            "SourceSecurityGroupId": {"Fn::GetAtt": ["Group", "GroupId"]},
        },
    },
}


def lustre(after: str | None = None, **changed: Any) -> dict[str, Any]:
    properties = {
        "FileSystemType": "LUSTRE",
        "StorageCapacity": 2400,
        "SubnetIds": [{"Ref": "Subnet"}],
        "SecurityGroupIds": [{"Fn::GetAtt": ["Group", "GroupId"]}],
        "LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250},
        **changed,
    }
    return {
        "Type": "AWS::FSx::FileSystem",
        "Properties": properties,
        **({"DependsOn": after} if after else {}),
    }


def failures(resources: dict[str, Any]) -> list[str]:
    with local_cloud() as local:
        stack = local.deploy(REGION, "stack", json.dumps({"Resources": resources}))
    return [str(event.reason) for event in stack.events if event.status == "CREATE_FAILED"]


def test_the_cloud_refuses_with_the_rules_code_in_the_event() -> None:
    reported = failures({**NETWORK, "Lustre": lustre("Ingress", StorageCapacity=10000)})
    assert reported[0] == (
        'Resource handler returned message: "AWS::FSx::FileSystem: LUS002 #/StorageCapacity: '
        '10000 GiB is not a valid capacity at 250 MB/s/TiB: it must be a multiple of 2400" '
        "(HandlerErrorCode: InvalidRequest)"
    )


def test_storage_18_a_file_system_does_not_wait_for_a_rule_that_it_is_not_reported_to_depend_on() -> None:
    assert failures({**NETWORK, "Lustre": lustre("Ingress")}) == []
    without = {name: resource for name, resource in NETWORK.items() if name != "Ingress"}
    assert "LUS018 #/SecurityGroupIds" in failures({**without, "Lustre": lustre()})[0]


def test_a_role_that_does_not_trust_the_service_is_found_by_what_the_cloud_made_of_it() -> None:
    statement = {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}
    role = {"AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [statement]}}
    function = {
        "Handler": "index.handler",
        "Runtime": "python3.13",
        "Role": {"Fn::GetAtt": ["Role", "Arn"]},
        "Code": {"ZipFile": "def handler(event, context): ..."},
    }
    reported = failures(
        {
            "Role": {"Type": "AWS::IAM::Role", "Properties": role},
            "Function": {"Type": "AWS::Lambda::Function", "Properties": function},
        }
    )
    assert (
        "IAM001 #/Role: the role's trust policy does not allow lambda.amazonaws.com to assume it"
        in reported[0]
    )


@pytest.mark.parametrize("kind", ["AWS::SageMaker::Cluster", "AWS::FSx::FileSystem", "AWS::S3::Bucket"])
def test_a_resource_is_judged_in_3000_calls_after_the_first_of_its_type(kind: str) -> None:
    region, resources = resources_of(SNAPSHOTS[-1])
    name = next(name for name, sibling in resources.items() if sibling.type == kind)
    own, others = resources[name], {n: s for n, s in resources.items() if n != name}
    assert problems(region, own.type, own.properties, others) == []
    # the largest takes 1,972, and 54,545 where its schema is read first
    assert calls_of(lambda: problems(region, own.type, own.properties, others)) < 3_000
