"""Properties against the services' API models: what they refuse that CloudFormation's schemas let through."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scripts.cloud.template.functions import KNOWN_AFTER_APPLY
from scripts.cloud.validation import Problem, problems
from scripts.cloud.validation.api import Fault, faults
from tests.conftest import read_table
from tests.tables import each_row

REGION = "us-west-2"
CLUSTER: dict[str, Any] = {
    "Name": "train",
    "Size": "SMALL",
    "Scheduler": {"Type": "SLURM", "Version": "25.11"},
    "Networking": {"SubnetIds": ["subnet-12345678"], "SecurityGroupIds": ["sg-12345678"]},
}
GROUP: dict[str, Any] = {
    "Name": "train",
    "ClusterId": "pcs_abcdefghij",
    "SubnetIds": ["subnet-12345678"],
    "IamInstanceProfileArn": "arn:aws:iam::123456789012:instance-profile/AWSPCS-node",
    "InstanceConfigs": [{"InstanceType": "p6-b200.48xlarge"}],
    "CustomLaunchTemplate": {"TemplateId": "lt-12345678", "Version": "1"},
    "ScalingConfiguration": {"MinInstanceCount": 0, "MaxInstanceCount": 4},
}
_SETTING = {"ParameterName": "Nonsense", "ParameterValue": "1"}
_TWO_SUBNETS = {"SubnetIds": ["subnet-1234567a", "subnet-1234567b"], "SecurityGroupIds": ["sg-12345678"]}
_MIXED = [{"InstanceType": "p6-b200.48xlarge"}, {"InstanceType": "p6e-gb200.36xlarge"}]

# the faults that were planted into a cluster and a group: stock linters found one or two of the twelve
PCS_FAULTS: list[tuple[str, dict[str, Any], str, str, str | None]] = [
    ("Cluster", {"Name": "pcs_train"}, "Name", "does not match (?!pcs_)", None),
    ("Cluster", {"Name": "t" * 41}, "Name", "the value has 41 characters, but the maximum is 40", None),
    ("Cluster", {"Size": "HUGE"}, "Size", "HUGE is not one of SMALL, MEDIUM, LARGE", None),
    (
        "Cluster",
        {"Scheduler": {"Type": "SLURM", "Version": "99.99"}},
        "Scheduler/Version",
        "Slurm 99.99",
        "PCS006",
    ),
    (
        "Cluster",
        {"Networking": _TWO_SUBNETS},
        "Networking/SubnetIds",
        "2 subnets, but PCS supports 1",
        "PCS001",
    ),
    (
        "Cluster",
        {"SlurmConfiguration": {"SlurmCustomSettings": [_SETTING]}},
        "SlurmConfiguration/SlurmCustomSettings/0/ParameterName",
        "Nonsense cannot be set on a cluster",
        "PCS009",
    ),
    (
        "Cluster",
        {"SlurmConfiguration": {"Accounting": {"Mode": "STANDARD", "DefaultPurgeTimeInDays": 0}}},
        "SlurmConfiguration/Accounting/DefaultPurgeTimeInDays",
        "0 days",
        "PCS007",
    ),
    ("ComputeNodeGroup", {"Name": "g" * 26}, "Name", "has 26 characters, but the maximum is 25", None),
    ("ComputeNodeGroup", {"InstanceConfigs": _MIXED}, "InstanceConfigs", "x86_64", "PCS005"),
    (
        "ComputeNodeGroup",
        {"ScalingConfiguration": {"MinInstanceCount": 5, "MaxInstanceCount": 4}},
        "ScalingConfiguration",
        "MinInstanceCount is 5 and MaxInstanceCount is 4",
        "PCS002",
    ),
    (
        "ComputeNodeGroup",
        {"PurchaseOption": "CAPACITY_BLOCK", "CustomLaunchTemplate": None},
        "CustomLaunchTemplate",
        "PurchaseOption CAPACITY_BLOCK requires a launch template",
        "PCS003",
    ),
    (
        "ComputeNodeGroup",
        {"PurchaseOption": "CAPACITY_BLOCK", "SpotOptions": {"AllocationStrategy": "lowest-price"}},
        "SpotOptions",
        "SpotOptions is not allowed with PurchaseOption CAPACITY_BLOCK",
        "PCS004",
    ),
]


@pytest.mark.parametrize(
    ("kind", "change", "path", "reported", "code"),
    PCS_FAULTS,
    ids=[f"{k}-{p}-{t}" for k, _, p, t, _ in PCS_FAULTS],
)
def test_the_pcs_faults_that_stock_linters_miss_are_found_each_with_its_reason(
    kind: str, change: dict[str, Any], path: str, reported: str, code: str | None
) -> None:
    good = CLUSTER if kind == "Cluster" else GROUP
    assert problems(REGION, f"AWS::PCS::{kind}", good, {}) == []
    bad = {key: value for key, value in {**good, **change}.items() if value is not None}
    (found,) = problems(REGION, f"AWS::PCS::{kind}", bad, {})
    assert (found.path, found.code) == (path, code)
    assert reported in found.message
    assert found.source.startswith("pcs API model, ") is (code is None)


def violation(kind: str, properties: dict[str, Any]) -> list[str]:
    return [f"{fault.path}: {fault.message}" for fault in faults(kind, properties)]


ROWS = read_table(Path(__file__).parent / "api.yaml")


@each_row("row", ROWS, lambda row: f"{row['type']}-{row.get('message', row.get('row'))}")
def test_a_value_is_refused_with_what_is_allowed(row: dict[str, Any]) -> None:
    found = violation(row["type"], row["properties"])
    if "message" not in row:
        assert found == []
        return
    (reported,) = found
    assert reported.startswith(row["message"])


def test_the_model_that_says_so_is_named() -> None:
    (fault,) = faults("AWS::FSx::FileSystem", {"StorageType": "TAPE"})
    assert fault == Fault(
        "StorageType", "TAPE is not one of SSD, HDD, INTELLIGENT_TIERING", "fsx API model, StorageType"
    )


@pytest.mark.parametrize(
    "unknown", [KNOWN_AFTER_APPLY, "${Network.Id}", "{{resolve:ssm:/a/b}}", f"x-{KNOWN_AFTER_APPLY}"]
)
def test_what_is_not_known_yet_is_passed_over(unknown: str) -> None:
    for properties in (
        {**CLUSTER, "Name": unknown, "Networking": {"SubnetIds": [unknown], "SecurityGroupIds": unknown}},
        {**CLUSTER, "Size": unknown, "Scheduler": {"Type": "SLURM", "Version": unknown}},
        dict.fromkeys(CLUSTER, unknown),
    ):
        assert problems(REGION, "AWS::PCS::Cluster", properties, {}) == []


def test_a_secret_is_never_shown() -> None:
    password = "not a secret/"
    short = {"OntapConfiguration": {"FsxAdminPassword": "short", "DeploymentType": "SINGLE_AZ_1"}}
    (fault,) = faults("AWS::FSx::FileSystem", short)
    assert fault.message == "the value has 5 characters, but the minimum is 8"
    (fault,) = faults("AWS::FSx::StorageVirtualMachine", {"SvmAdminPassword": f"{password}\n"})
    assert password not in fault.message
    assert fault.message.startswith("the value (not shown) does not match")


def test_numbers_in_texts_and_texts_of_numbers_are_what_the_request_takes() -> None:
    assert violation("AWS::RDS::DBInstance", {"AllocatedStorage": "20", "Port": "3306"}) == []
    assert (
        violation(
            "AWS::FSx::Volume",
            {
                "OntapConfiguration": {
                    "SizeInMegabytes": "1024",
                    "StorageVirtualMachineId": "svm-0123456789abcdef0",
                }
            },
        )
        == []
    )
    assert violation("AWS::KMS::Key", {"PendingWindowInDays": 3}) == []


def test_a_type_without_a_row_and_a_property_without_a_parameter_are_left_to_the_schema() -> None:
    assert violation("AWS::CDK::Metadata", {"Analytics": "x" * 10_000}) == []
    assert violation("AWS::ECR::Repository", {"EmptyOnDelete": "perhaps"}) == []


def test_a_rule_speaks_before_the_model_about_the_same_place() -> None:
    found = problems(REGION, "AWS::S3::Bucket", {"BucketName": "My_Data"}, {})
    assert [problem.code for problem in found] == ["BKT001"]


def test_a_pattern_that_could_take_for_ever_gives_up() -> None:
    team = {"TeamName": "a" * 39 + "!"}
    found: list[Problem] = problems(REGION, "AWS::SageMaker::ComputeQuota", {"ComputeQuotaTarget": team}, {})
    assert [problem.path for problem in found] in ([], ["ComputeQuotaTarget/TeamName"])
