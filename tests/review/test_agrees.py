"""What review predicts is what a deployment then does: for one edit of every property of our templates."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import Any

import pytest

from tests.cloud.agreement import Deployments, Subject, agree
from tests.cloud.edits import KEPT, Edit, edits, with_spares
from tests.cloud.snapshots import put_assets_of, snapshot
from tests.conftest import ROOT, of_snapshot

# between them they have every property that a built-in template has
PROFILES = (
    "p6-b200",
    "p6-b200-data",
    "p6-b200-cluster",
    "p6e-gb200",
    "p5-dev",
    "p6-b200.pcs",
    "p6-b200.eks",
    "p6-b200.hyperpod-eks",
)
# one of each kind of effect and refusal
QUICK = (
    "EC2::NatGateway/SubnetId",
    "EC2::SecurityGroup/SecurityGroupIngress/*/Description",
    "EC2::Subnet/CidrBlock",
    "EC2::VPC/EnableDnsHostnames",
    "FSx::DataRepositoryAssociation/DataRepositoryPath",
    "FSx::FileSystem/KmsKeyId",
    "FSx::FileSystem/LustreConfiguration/EfaEnabled",
    "FSx::FileSystem/StorageCapacity",
    "IAM::Role/Policies removed",
    "KMS::Alias/AliasName",
    "Logs::LogGroup/LogGroupName",
    "SageMaker::Cluster/InstanceGroups/*/InstanceCount",
    "SageMaker::Cluster/InstanceGroups/*/SlurmConfig/NodeType",
    "SageMaker::Cluster/VpcConfig/SecurityGroupIds/*",
)
PARTS = 16


@lru_cache(maxsize=8)
def region(profile: str) -> str:
    design = of_snapshot(profile).design
    assert design is not None
    return design.profile.region


@lru_cache(maxsize=8)
def template(profile: str) -> Mapping[str, Any]:
    return with_spares(snapshot(profile))


@lru_cache(maxsize=1)
def every_edit() -> dict[str, tuple[str, Edit]]:
    """Name (type and path) to the first profile that has the property, and its edit."""
    found: dict[str, tuple[str, Edit]] = {}
    for profile in PROFILES:
        for edit in edits(template(profile), region(profile)):
            found.setdefault(edit.name, (profile, edit))
    return found


@lru_cache(maxsize=8)
def subject(profile: str) -> Subject:
    on = {"data": snapshot("p6-b200-data")} if profile == "p6-b200-cluster" else {}
    return Subject(
        name=profile.partition(".")[0],
        region=region(profile),
        template=template(profile),
        on=on,
        prepare=partial(put_assets_of, region=region(profile), name=profile),
    )


@pytest.fixture(scope="module")
def deployments() -> Iterator[Deployments]:
    found = Deployments()
    yield found
    found.open.close()


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", QUICK)
def test_review_agrees_with_the_deployment(name: str, deployments: Deployments) -> None:
    profile, edit = every_edit()[name]
    agree(deployments, subject(profile), edit)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", range(PARTS))
def test_review_agrees_with_the_deployment_of_every_other_edit(part: int, deployments: Deployments) -> None:
    failed = {}
    # profile by profile: each change of profile deploys a whole stack first
    left = [name for name in every_edit() if name not in QUICK]
    for name in left[len(left) * part // PARTS : len(left) * (part + 1) // PARTS]:
        profile, edit = every_edit()[name]
        try:
            agree(deployments, subject(profile), edit)
        except AssertionError as error:
            failed[name] = str(error)
    assert failed == {}


def test_every_property_of_the_built_in_templates_is_edited_or_left_for_a_reason() -> None:
    from tests.cloud.edits import leaves

    edited, left = set(every_edit()), set()
    for path in (ROOT / "tests" / "snapshots").glob("*.template.json"):
        for declared in json.loads(path.read_text(encoding="utf-8"))["Resources"].values():
            for at, value in leaves(declared.get("Properties", {})):
                pattern = "/".join("*" if part.isdigit() else part for part in at)
                name = f"{declared['Type'].removeprefix('AWS::')}/{pattern}"
                if name not in edited:
                    left.add((declared["Type"], next(p for p in reversed(at) if not p.isdigit()), str(value)))
    unexplained = {(kind, last) for kind, last, _ in left} - set(KEPT) - UNEDITABLE
    assert unexplained == set()


# values that have no other: the version of a policy, an account's own id, everything, the one kind there is
UNEDITABLE = {
    ("AWS::EC2::EIP", "Domain"),
    ("AWS::IAM::Policy", "Version"),
    ("AWS::IAM::Role", "Version"),
    ("AWS::IAM::Role", "aws:ResourceAccount"),
    ("AWS::IAM::Role", "aws:SourceAccount"),
    ("AWS::KMS::Key", "Resource"),
    ("AWS::KMS::Key", "aws:SourceAccount"),
    ("AWS::KMS::Key", "Version"),
    ("AWS::KMS::Key", "kms:CallerAccount"),
    ("AWS::PCS::Cluster", "Type"),
    ("AWS::S3::BucketPolicy", "Principal"),
    ("AWS::S3::BucketPolicy", "Version"),
    ("AWS::S3::BucketPolicy", "aws:SourceAccount"),
    ("AWS::SNS::TopicPolicy", "Principal"),
    ("AWS::SNS::TopicPolicy", "Version"),
    ("AWS::SNS::TopicPolicy", "aws:SourceAccount"),
}
