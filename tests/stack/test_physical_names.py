"""Every physical name that a template states is in the registry, and fits its service."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.cluster import load_cluster
from config.design.physical_names import FORMS, Form, Scope
from config.profile.orchestrator import ORCHESTRATORS
from config.profile.source.reference import built_in_names
from scripts.cloud.template.provider_schemas import known_schema
from scripts.cloud.template.schema import is_create_only
from tests.conftest import Synthesized
from tests.tables import each_row

pytestmark = pytest.mark.synth

Tried = Callable[[str, str | None], Synthesized]
HERE = Path(__file__).parent
REGION = "us-west-2"

# names of things that exist, of AWS's own things, of other resources, or of what has no name of its own
NOT_OURS = {
    ("AWS::EC2::VPCEndpoint", "ServiceName"),
    ("AWS::IAM::Policy", "PolicyName"),  # part of its role
    ("AWS::SNS::Topic", "DisplayName"),
    ("AWS::Lambda::Function", "FunctionName"),
}
OWN_NAME = {
    "AWS::SageMaker::Cluster": "ClusterName",
    "AWS::EKS::Nodegroup": "NodegroupName",
    "AWS::EKS::Addon": "AddonName",
    "AWS::SQS::Queue": "QueueName",
    "AWS::SNS::Topic": "TopicName",
    "AWS::CloudWatch::Alarm": "AlarmName",
    "AWS::KMS::Alias": "AliasName",
    "AWS::Logs::LogGroup": "LogGroupName",
    "AWS::S3::Bucket": "BucketName",
    "AWS::S3Express::DirectoryBucket": "BucketName",
    "AWS::IAM::Role": "RoleName",
    "AWS::IAM::InstanceProfile": "InstanceProfileName",
    "AWS::IAM::ManagedPolicy": "ManagedPolicyName",
    "AWS::Lambda::Function": "FunctionName",
    "AWS::EC2::LaunchTemplate": "LaunchTemplateName",
    "AWS::EC2::SecurityGroup": "GroupName",
    "AWS::EC2::PlacementGroup": "GroupName",
    "AWS::APS::Workspace": "Alias",
    "AWS::APS::Scraper": "Alias",
    "AWS::RDS::DBCluster": "DBClusterIdentifier",
    "AWS::RDS::DBInstance": "DBInstanceIdentifier",
    "AWS::RDS::DBSubnetGroup": "DBSubnetGroupName",
    "AWS::RDS::DBClusterParameterGroup": "DBClusterParameterGroupName",
    "AWS::Lambda::LayerVersion": "LayerName",
    "AWS::Events::Rule": "Name",
    "AWS::ECR::Repository": "RepositoryName",
}
"""The property that names a resource, where it is not `Name`."""

EVERYWHERE = ("AWS::IAM::Role", "AWS::IAM::InstanceProfile", "AWS::IAM::ManagedPolicy", "AWS::S3::Bucket")
"""What is named once in an account, or once in all of AWS: it may have no stated name."""


def names_in(template: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Type, property and value of every physical name that a template states."""
    for resource in template["Resources"].values():
        kind, properties = resource["Type"], resource.get("Properties", {})
        own = OWN_NAME.get(kind, "Name")
        if own in properties and (kind, own) not in NOT_OURS and not kind.startswith("Custom::"):
            yield kind, own, properties[own]


def form_of(kind: str, name: str) -> Form | None:
    return next((form for form in FORMS if form.type == kind and form.pattern.fullmatch(name)), None)


def unknown(template: Mapping[str, Any], full: str) -> list[tuple[str, object]]:
    """Names that no form has, or that do not carry the profile's full name."""
    found: list[tuple[str, object]] = []
    for kind, _, name in names_in(template):
        if isinstance(name, dict) and '"Ref"' in json.dumps(name):
            continue  # after what CloudFormation called another resource
        form = form_of(kind, name) if isinstance(name, str) else None
        is_ours = form is not None and ("{name}" not in form.shape or full in name)
        if form is None or not is_ours or len(name) > form.most:
            found.append((kind, name))
    return found


COMBINATIONS = [(name, orchestrator) for name in built_in_names() for orchestrator in (None, *ORCHESTRATORS)]
QUICK = {("p6-b200", None), ("p6-b200-data", None), ("p5-dev", "pcs"), ("p5-dev", "eks")}


@pytest.mark.parametrize(
    ("name", "orchestrator"),
    [pair if pair in QUICK else pytest.param(*pair, marks=pytest.mark.long) for pair in COMBINATIONS],
)
def test_every_name_of_a_built_in_profile_is_in_the_registry(
    name: str, orchestrator: str | None, tried: Tried
) -> None:
    if load_cluster(name, orchestrator=orchestrator).design is None:
        pytest.skip("a rule refuses it")
    template = tried(name, orchestrator).template
    assert unknown(template, name) == []
    assert [kind for kind, _, _ in names_in(template) if kind in EVERYWHERE] == []


def rich_profiles() -> dict[str, dict[str, Any]]:
    """What built-in profiles do not have: Karpenter, governance, a database, more file systems."""
    hyperpod_eks = yaml.safe_load((HERE / "hyperpod_eks_profiles.yaml").read_text())
    hyperpod = yaml.safe_load((HERE / "hyperpod_profiles.yaml").read_text())
    rows = {"governed": ("hyperpod-eks", hyperpod_eks), "accounted": ("hyperpod-slurm", hyperpod)}
    return {
        row: {**table["everything"], "orchestrator": {"kind": kind, **table["everything"]["orchestrator"]}}
        for row, (kind, table) in rows.items()
    }


@pytest.mark.parametrize("row", ["governed", "accounted"])
def test_every_name_of_a_rich_profile_in_its_environment_is_in_the_registry(
    row: str, synthesized: Callable[[str], Synthesized], tmp_path: Path
) -> None:
    declared = rich_profiles()[row]
    if row == "accounted":
        (tmp_path / "setup.sh").write_text("#!/bin/sh\n")
    file = tmp_path / f"{row}.yaml"
    declared = {"extends": "p6-b200", "name": row, "environment": "prod", **declared}
    file.write_text(yaml.safe_dump(declared), encoding="utf-8")
    template = synthesized(str(file)).template
    assert unknown(template, f"{row}-env-prod") == []
    assert [kind for kind, _, _ in names_in(template) if kind in EVERYWHERE] == []


def test_what_the_registry_does_not_know_is_found() -> None:
    planted = {
        "Role": {"Type": "AWS::IAM::Role", "Properties": {"RoleName": "mine-nodes"}},
        "Queue": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "mine-of-another-form"}},
        "Topic": {"Type": "AWS::SNS::Topic", "Properties": {"TopicName": "theirs-critical"}},
    }
    found = unknown({"Resources": planted}, "mine")
    assert {kind for kind, _ in found} == {"AWS::IAM::Role", "AWS::SQS::Queue", "AWS::SNS::Topic"}


@each_row("form", [form for form in FORMS if form.type.startswith("AWS::")], lambda form: form.shape)
def test_a_limit_is_not_above_that_of_the_services_schema(form: Form) -> None:
    schema = known_schema(REGION, form.type)
    if form.type == "AWS::CloudFormation::Stack":
        return  # a stack is no resource of a template here
    assert schema is not None
    assert form.key in schema["properties"], "no such property"
    most = schema["properties"][form.key].get("maxLength")
    assert most is None or form.most <= most
    assert form.scope is Scope.LABEL or is_create_only(REGION, form.type, (form.key,))


def test_no_form_stands_for_what_is_named_in_every_region_at_once() -> None:
    assert not {form.type for form in FORMS} & set(EVERYWHERE)


def test_the_same_profile_in_two_environments_differs_in_every_name(
    synthesized: Callable[[str], Synthesized], tmp_path: Path
) -> None:
    names = []
    for environment in ("dev", "prod"):
        file = tmp_path / f"{environment}.yaml"
        file.write_text(f"extends: p6-b200\nname: mine\nenvironment: {environment}\n", encoding="utf-8")
        stack = synthesized(str(file))
        names.append({(kind, json.dumps(name)) for kind, _, name in names_in(stack.template)})
    assert names[0]
    assert not names[0] & names[1]
