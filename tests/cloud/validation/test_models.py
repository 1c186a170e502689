"""The table of requests and the corrections, against CloudFormation's schemas and the models themselves."""

from __future__ import annotations

import gzip
import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from scripts.cloud.resources.registry import modelled_types
from scripts.cloud.template.custom_types import is_custom
from scripts.cloud.validation.limits import corrections, limits_of
from scripts.cloud.validation.requests import Request, rows
from scripts.cloud.validation.shapes import model_of, shape_named
from tests.cloud.validation.comparison import REGION, Difference, differences, properties_at
from tests.conftest import ROOT
from tests.tables import each_row

KINDS = sorted(rows())
# how the embedded cloud and CloudFormation keep their own books: no service is asked
OF_NO_SERVICE = {
    "AWS::CDK::Metadata",
    "AWS::CloudFormation::CustomResource",
    "AWS::CloudFormation::WaitCondition",
    "AWS::CloudFormation::WaitConditionHandle",
    "AWS::SecretsManager::SecretTargetAttachment",
}


@cache
def data_of(service: str, name: str) -> dict[str, Any]:
    spec = find_spec("botocore")
    assert spec is not None
    assert spec.origin is not None
    versions = sorted((Path(spec.origin).parent / "data" / service).iterdir())
    packed, plain = versions[-1] / f"{name}.json.gz", versions[-1] / f"{name}.json"
    if not packed.exists() and not plain.exists():
        return {}
    text = gzip.decompress(packed.read_bytes()) if packed.exists() else plain.read_bytes()
    found: dict[str, Any] = json.loads(text)
    return found


def test_every_type_that_is_played_or_built_in_is_compared_with_a_request() -> None:
    snapshots = (ROOT / "tests" / "snapshots").glob("*.json")
    built_in = {r["Type"] for path in snapshots for r in json.loads(path.read_text())["Resources"].values()}
    types = {kind for kind in (*built_in, *modelled_types()) if not is_custom(kind)}
    assert types - set(KINDS) == OF_NO_SERVICE & types


@pytest.mark.parametrize("family", ["EKS", "PCS", "FSx", "APS", "EC2", "Grafana"])
def test_every_type_of_a_family_that_has_a_creating_request_is_compared(family: str) -> None:
    types = json.loads((schema_folder() / "providers" / f"{REGION}.json").read_text())
    left_out = {kind for kind in types if kind.startswith(f"AWS::{family}::")} - set(KINDS)
    # its permissions are a list that one request adds to and takes from
    assert left_out == ({"AWS::EC2::VPCEndpointServicePermissions"} if family == "EC2" else set())


def schema_folder() -> Path:
    spec = find_spec("cfnlint")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "data" / "schemas"


@each_row("kind", KINDS)
def test_schema_and_model_agree_about_a_type_once_corrected(kind: str) -> None:
    """Each property is a parameter or named apart; no value that the schema lists or allows is refused."""
    assert list(differences(kind)) == []


@each_row("kind", KINDS)
def test_a_row_names_requests_and_properties_that_exist(kind: str) -> None:
    row = rows()[kind]
    for request in row.requests:
        taken = model_of(request.service)["operations"][request.operation]["input"]["shape"]
        assert shape_named(request.service, taken)["type"] == "structure"
    assert {*row.names, *row.apart} - properties_at(kind) == set()
    assert {path.rpartition("/")[0] for path in row.filled} <= properties_at(kind)


def test_a_correction_is_of_a_shape_that_needs_it_and_says_why() -> None:
    for name, row in corrections().items():
        service, shape = name.split(":")
        limits, model = limits_of(service, shape), shape_named(service, shape)
        assert row["source"]
        assert set(row) <= {"values", "minimum", "maximum", "pattern", "source"}
        assert not set(row.get("values", ())) & set(model.get("enum", ()))
        for mine, theirs in (("minimum", "min"), ("maximum", "max"), ("pattern", "pattern")):
            assert mine not in row or row[mine] != model[theirs]
        assert limits.kind == model["type"]


# values that a schema takes, or AWS shows, and the model's pattern does not
TAKEN: list[tuple[str, str]] = [
    ("amp:KmsKeyArn", "arn:aws:kms:us-west-2:123456789012:key/mrk-1234abcd12ab34cd56ef1234567890ab"),
    ("events:SageMakerPipelineParameterName", "learning_rate"),
    ("iam:instanceProfileNameType", ""),
    ("lambda:VersionWithLatestPublished", ""),
    ("logs:LogGroupArn", "arn:aws:logs:us-west-2:123456789012:log-group:/aws/fsx/mine:*"),
    ("logs:LogType", "ACCESS-LOGS"),
    ("logs:MappingVersion", "v1.5.0"),
    ("rds:GlobalClusterIdentifier", ""),
    ("ssm:AttachmentIdentifier", "réseau"),
    ("ssm:DocumentARN", "arn:aws:ssm:us-west-2:123456789012:document/" + "d" * 100),
    ("ssm:TargetKey", "tag:team+role"),
]


def test_every_corrected_pattern_has_a_value_that_it_refused() -> None:
    assert {name for name, _ in TAKEN} == {name for name, row in corrections().items() if "pattern" in row}


@pytest.mark.parametrize(("name", "value"), TAKEN)
def test_a_value_that_a_models_pattern_wrongly_refuses_is_taken(name: str, value: str) -> None:
    service, shape = name.split(":")
    assert limits_of(service, shape).violation(value) is None


# the model of botocore is right and the schema's lacks its group: hyperpod.md 1.2
@pytest.mark.parametrize(
    ("value", "taken"), [("default", True), ("ami-0123456789abcdef0", True), ("xdefault", False)]
)
def test_the_image_of_hyperpod_is_matched_as_a_whole(value: str, taken: bool) -> None:
    assert (limits_of("sagemaker", "ImageId").violation(value) is None) is taken


EXAMPLES = sorted({request for row in rows().values() for request in row.requests}, key=str)


# shows an id cut short, where the model and the service have 36 characters
CUT_SHORT = Request("lambda", "UpdateEventSourceMapping")


@each_row("request_", [request for request in EXAMPLES if request != CUT_SHORT], str)
def test_every_example_of_a_request_that_botocore_ships_fits(request_: Request) -> None:
    """The proof that patterns are matched against the whole value."""
    examples = data_of(request_.service, "examples-1").get("examples", {}).get(request_.operation, [])
    shape = request_.input
    for example in examples:
        assert list(_misfits(request_.service, shape, example.get("input", {}))) == []


def test_the_examples_are_many_and_have_many_patterns() -> None:
    shown = [
        (request, example)
        for request in EXAMPLES
        for example in data_of(request.service, "examples-1").get("examples", {}).get(request.operation, [])
    ]
    services = {request.service for request, _ in shown}
    assert len(shown) > 60
    assert {"ec2", "eks", "fsx", "iam", "kms", "lambda", "rds", "s3", "secretsmanager"} <= services


def _misfits(service: str, name: str, value: Any) -> Any:
    shape = shape_named(service, name)
    if shape["type"] == "structure" and isinstance(value, dict):
        for member, item in value.items():
            yield from _misfits(service, shape["members"][member]["shape"], item)
        yield from (member for member in shape.get("required", ()) if member not in value)
    elif shape["type"] in ("list", "map"):
        reported = limits_of(service, name).violation(value)
        yield from [reported] if reported else []
        for item in value.values() if isinstance(value, dict) else value:
            yield from _misfits(
                service, shape["value" if isinstance(value, dict) else "member"]["shape"], item
            )
    elif shape["type"] == "string" or isinstance(value, int | float):
        reported = None if isinstance(value, bool) else limits_of(service, name).violation(value)
        yield from [f"{name}: {reported}"] if reported else []


def test_a_model_in_the_users_folder_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "fsx" / "2099-01-01"
    folder.mkdir(parents=True)
    (folder / "service-2.json").write_text("{}")
    monkeypatch.setenv("AWS_DATA_PATH", str(tmp_path))
    model_of.cache_clear()
    assert shape_named("fsx", "FileSystemId")["type"] == "string"


def test_a_difference_that_the_table_does_not_know_would_be_found() -> None:
    found = set(_uncorrected("AWS::EKS::Nodegroup"))
    assert ("words", "CapacityType") in found
    assert ("most", "Taints/Key") in found


def _uncorrected(kind: str) -> list[tuple[str, str]]:
    limits_of.cache_clear()
    kept = dict(corrections())
    table: Any = corrections()
    table.clear()
    try:
        found: list[Difference] = list(differences(kind))
    finally:
        table.update(kept)
        limits_of.cache_clear()
    return [(difference.kind, difference.path) for difference in found]
