"""What a service refuses: every rule over resources by a table of bad and good rows, and the API models."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from config.catalog import catalog
from config.rules import CODES
from scripts.cloud.local import local_cloud
from scripts.cloudformation.functions import KNOWN_AFTER_APPLY
from scripts.cloudformation.provider_schemas import schema_of
from scripts.validation import Sibling, problems, reason
from scripts.validation.api import checked_types, request_of
from scripts.validation.rules import RULES
from tests.conftest import ROOT

_TABLE: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "rules.yaml").read_text())
ROWS = [
    (code, kind, number, table["type"], row)
    for code, table in _TABLE.items()
    for kind in ("bad", "good")
    for number, row in enumerate(table[kind])
]


def found(kind: str, row: dict[str, Any]) -> list[Any]:
    properties = row.get("properties", row)
    siblings = {
        f"Other{number}": Sibling(of_type, given_properties, frozenset({identity}))
        for number, (of_type, identity, given_properties) in enumerate(row.get("with", []))
    }
    return problems("us-west-2", kind, properties, siblings)


@pytest.mark.parametrize(
    ("code", "kind", "number", "of_type", "row"), ROWS, ids=[f"{c}-{k}-{n}" for c, k, n, _, _ in ROWS]
)
def test_a_rule_refuses_its_bad_rows_and_takes_its_good_ones(
    code: str, kind: str, number: int, of_type: str, row: dict[str, Any]
) -> None:
    told = [problem for problem in found(of_type, row) if problem.code == code]
    assert bool(told) is (kind == "bad")
    for problem in told:
        assert problem.hint
        assert problem.source == CODES[code].source
        assert f"{code} #/{problem.path}: " in reason(of_type, [problem])


def test_every_rule_has_rows_and_every_row_a_rule() -> None:
    assert {rule.code.code for rule in RULES} == set(_TABLE)


@pytest.mark.parametrize("of_type", checked_types())
def test_every_request_that_a_type_is_compared_with_exists(of_type: str) -> None:
    from scripts.validation.shapes import request_shape

    service, operation = str(request_of(of_type)).split(":")
    assert request_shape(service, operation)["members"]
    assert schema_of("us-east-1", of_type)["typeName"] == of_type


CLUSTER = {
    "Name": "train",
    "Size": "SMALL",
    "Scheduler": {"Type": "SLURM", "Version": "25.11"},
    "Networking": {"SubnetIds": ["subnet-12345678"], "SecurityGroupIds": ["sg-12345678"]},
}
GROUP = {
    "Name": "train",
    "ClusterId": "pcs_abcdefghij",
    "SubnetIds": ["subnet-12345678"],
    "IamInstanceProfileArn": "arn:aws:iam::123456789012:instance-profile/AWSPCS-node",
    "InstanceConfigs": [{"InstanceType": "p6-b200.48xlarge"}],
    "CustomLaunchTemplate": {"TemplateId": "lt-12345678", "Version": "1"},
    "ScalingConfiguration": {"MinInstanceCount": 0, "MaxInstanceCount": 4},
}


@pytest.mark.parametrize(
    ("of_type", "change", "path"),
    [
        ("Cluster", {"Name": "pcs_train"}, "Name"),
        ("Cluster", {"Name": "t" * 41}, "Name"),
        ("Cluster", {"Size": "HUGE"}, "Size"),
        ("Cluster", {"Scheduler": {"Type": "SLURM", "Version": "99.99"}}, "Scheduler/Version"),
        (
            "Cluster",
            {"Networking": {"SubnetIds": ["subnet-1234567a", "subnet-1234567b"]}},
            "Networking/SubnetIds",
        ),
        (
            "Cluster",
            {
                "SlurmConfiguration": {
                    "SlurmCustomSettings": [{"ParameterName": "Nonsense", "ParameterValue": "1"}]
                }
            },
            "SlurmConfiguration/SlurmCustomSettings/0/ParameterName",
        ),
        (
            "Cluster",
            {"SlurmConfiguration": {"Accounting": {"Mode": "STANDARD", "DefaultPurgeTimeInDays": 0}}},
            "SlurmConfiguration/Accounting/DefaultPurgeTimeInDays",
        ),
        ("ComputeNodeGroup", {"Name": "g" * 26}, "Name"),
        (
            "ComputeNodeGroup",
            {
                "InstanceConfigs": [
                    {"InstanceType": "p6-b200.48xlarge"},
                    {"InstanceType": "p6e-gb200.36xlarge"},
                ]
            },
            "InstanceConfigs",
        ),
        (
            "ComputeNodeGroup",
            {"ScalingConfiguration": {"MinInstanceCount": 5, "MaxInstanceCount": 4}},
            "ScalingConfiguration",
        ),
        (
            "ComputeNodeGroup",
            {"PurchaseOption": "CAPACITY_BLOCK", "CustomLaunchTemplate": None},
            "CustomLaunchTemplate",
        ),
        (
            "ComputeNodeGroup",
            {"PurchaseOption": "CAPACITY_BLOCK", "SpotOptions": {"AllocationStrategy": "lowest-price"}},
            "SpotOptions",
        ),
    ],
)
def test_the_pcs_faults_that_stock_linters_miss_are_found(
    of_type: str, change: dict[str, Any], path: str
) -> None:
    good = CLUSTER if of_type == "Cluster" else GROUP
    assert problems("us-west-2", f"AWS::PCS::{of_type}", good, {}) == []
    bad = {key: value for key, value in {**good, **change}.items() if value is not None}
    assert path in [problem.path for problem in problems("us-west-2", f"AWS::PCS::{of_type}", bad, {})]


def test_a_wrong_value_is_told_with_what_is_allowed_and_who_says_so() -> None:
    bad = {"FileSystemType": "LUSTRE", "LustreConfiguration": {"DataCompressionType": "ZSTD"}}
    (problem,) = problems("us-west-2", "AWS::FSx::FileSystem", bad, {})
    assert str(problem) == "#/LustreConfiguration/DataCompressionType: ZSTD is not one of NONE, LZ4"
    assert problem.source == "fsx API model, DataCompressionType"


def test_every_problem_is_told_at_once() -> None:
    bad = {**CLUSTER, "Name": "x", "Size": "HUGE", "Scheduler": {"Type": "SLURM", "Version": "1"}}
    found_paths = {problem.path for problem in problems("us-west-2", "AWS::PCS::Cluster", bad, {})}
    assert found_paths == {"Name", "Size", "Scheduler/Version"}


@pytest.mark.parametrize("unknown", [KNOWN_AFTER_APPLY, "${Network.Id}", "{{resolve:ssm:/a/b}}"])
def test_what_is_not_known_yet_is_passed_over(unknown: str) -> None:
    for properties in (
        {**CLUSTER, "Name": unknown, "Networking": {"SubnetIds": [unknown]}},
        {**CLUSTER, "Scheduler": {"Type": "SLURM", "Version": unknown}},
    ):
        assert problems("us-west-2", "AWS::PCS::Cluster", properties, {}) == []


@given(
    gib=st.one_of(st.integers(1, 200_000), st.integers(1, 80).map(lambda n: n * 2400)),
    tier=st.sampled_from(sorted(catalog().lustre.tiers)),
    efa=st.booleans(),
)
def test_storage_13_a_capacity_is_refused_just_where_it_is_no_size(gib: int, tier: int, efa: bool) -> None:
    lustre = {
        "DeploymentType": "PERSISTENT_2",
        "PerUnitStorageThroughput": tier,
        "EfaEnabled": efa,
        "MetadataConfiguration": {"Mode": "AUTOMATIC"},
    }
    properties = {"FileSystemType": "LUSTRE", "StorageCapacity": gib, "LustreConfiguration": lustre}
    told = [p.code for p in problems("us-west-2", "AWS::FSx::FileSystem", properties, {})]
    exists = catalog().lustre.takes_capacity(gib, catalog().lustre.tiers[tier], efa=efa)
    assert ("LUS002" in told) is not exists


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "tests" / "snapshots").glob("*.json")))
def test_the_built_in_templates_are_clean_once_resolved(name: str) -> None:
    template = json.loads((ROOT / "tests" / "snapshots" / name).read_text(encoding="utf-8"))
    siblings = {
        logical_id: Sibling(d["Type"], _tokens(d.get("Properties", {})), frozenset({f"${{{logical_id}}}"}))
        for logical_id, d in template["Resources"].items()
    }
    for logical_id, own in siblings.items():
        others = {other: sibling for other, sibling in siblings.items() if other != logical_id}
        assert problems("us-west-2", own.type, own.properties, others) == []


def _tokens(value: Any) -> Any:
    """Functions as texts that are not known yet; a group's id and its reference are one text."""
    if isinstance(value, dict):
        if "Ref" in value:
            return f"${{{value['Ref']}}}"
        if "Fn::GetAtt" in value:
            name, attribute = value["Fn::GetAtt"]
            return f"${{{name}}}" if attribute == "GroupId" else f"${{{name}.{attribute}}}"
        if len(value) == 1 and next(iter(value)).startswith("Fn::"):
            return "${later}"
        return {key: _tokens(item) for key, item in value.items()}
    return [_tokens(item) for item in value] if isinstance(value, list) else value


def test_the_cloud_refuses_with_the_rules_code_in_the_event() -> None:
    system = {
        "Type": "AWS::FSx::FileSystem",
        "Properties": {
            "FileSystemType": "LUSTRE",
            "StorageCapacity": 10000,
            "SubnetIds": ["subnet-12345678"],
            "LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250},
        },
    }
    with local_cloud() as local:
        stack = local.deploy("us-west-2", "s", json.dumps({"Resources": {"Lustre": system}}))
    reasons = [event.reason for event in stack.events if event.status == "CREATE_FAILED"]
    assert any("LUS002 #/StorageCapacity: 10000 GiB is not a size" in str(told) for told in reasons)


def test_a_resource_is_judged_in_a_small_part_of_what_its_validation_by_schema_takes() -> None:
    from scripts.cloudformation.schema import validated

    def took(judge: Any) -> float:
        judge()
        began = time.perf_counter()
        for _ in range(20):
            judge()
        return time.perf_counter() - began

    by_model = took(lambda: problems("us-east-1", "AWS::PCS::Cluster", CLUSTER, {}))
    by_schema = took(lambda: validated("us-east-1", "AWS::PCS::Cluster", CLUSTER))
    assert by_model < 3 * by_schema


@pytest.mark.parametrize(
    "properties",
    [
        {"FileSystemType": "LUSTRE", "SubnetIds": ["subnet-12345678"], "Nonsense": 1},
        {"FileSystemType": "LUSTRE", "SubnetIds": ["s"], "LustreConfiguration": {"Nonsense": 1}},
    ],
)
def test_a_name_that_the_schema_does_not_have_is_refused_even_where_it_does_not_say_so(
    properties: dict[str, Any],
) -> None:
    from scripts.cloudformation.errors import ResourceFailedError
    from scripts.cloudformation.schema import validated

    with pytest.raises(ResourceFailedError, match=r"extraneous key \[Nonsense\]"):
        validated("us-west-2", "AWS::FSx::FileSystem", properties)
