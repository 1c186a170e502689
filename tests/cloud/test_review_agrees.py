"""What review predicts is what a deployment then does: for one edit of every property of our templates."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pytest

from config.cluster import load_cluster
from scripts.cloud.local import LocalCloud, local_cloud
from tests.cloud.edits import KEPT, Edit, edits, with_spares
from tests.cloud.prediction import is_refused, predicted, reviewed
from tests.conftest import ROOT

if TYPE_CHECKING:
    from scripts.cloud.engine.stack import Stack

# between them they have every property that a built-in template has
PROFILES = ("p6-b200", "p6-b200-data", "p6-b200-cluster", "p6e-gb200", "p5-dev")
# every edit of these runs in the quick suite: one of each kind of effect and refusal
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


@lru_cache(maxsize=8)
def region(profile: str) -> str:
    design = load_cluster(profile).design
    assert design is not None
    return design.profile.region


@lru_cache(maxsize=8)
def template(profile: str) -> Mapping[str, Any]:
    text = (ROOT / "tests" / "snapshots" / f"{profile}.template.json").read_text(encoding="utf-8")
    return with_spares(json.loads(text))


@lru_cache(maxsize=1)
def every_edit() -> dict[str, tuple[str, Edit]]:
    """Name (type and path) to the first profile that has the property, and its edit."""
    found: dict[str, tuple[str, Edit]] = {}
    for profile in PROFILES:
        for edit in edits(template(profile), region(profile)):
            found.setdefault(edit.name, (profile, edit))
    return found


@dataclass
class Deployments:
    """A stack that stands as its profile says before each edit; made anew where it cannot go back."""

    open: ExitStack = field(default_factory=ExitStack)
    profile: str | None = None
    stack: Stack | None = None
    local: LocalCloud | None = None

    def ready(self, profile: str) -> Stack:
        if self.profile != profile or self.stack is None:
            self._anew(profile)
        assert self.stack is not None
        return self.stack

    def deploy(self, body: Mapping[str, Any]) -> None:
        assert self.local is not None
        assert self.profile is not None
        self.local.deploy(region(self.profile), self.profile, json.dumps(body))

    def put_back(self, *, replaced: bool) -> None:
        """As it was; what was replaced, or does not go back, is thrown away with its cloud."""
        assert self.stack is not None
        assert self.profile is not None
        if self.stack.status == "UPDATE_ROLLBACK_COMPLETE":
            return
        if not replaced and self.stack.status == "UPDATE_COMPLETE":
            self.deploy(template(self.profile))
        if replaced or self.stack.status != "UPDATE_COMPLETE":
            self.stack = None

    def _anew(self, profile: str) -> None:
        self.open.close()
        self.profile, self.local = profile, self.open.enter_context(local_cloud())
        ssm = self.local.client("ssm", region(profile))
        ssm.put_parameter(Name="/cdk-bootstrap/hnb659fds/version", Type="String", Value="30")
        if profile == "p6-b200-cluster":
            self.local.deploy(region(profile), "data", json.dumps(_with_plain_ids("p6-b200-data")))
        self.stack = self.local.deploy(region(profile), profile, json.dumps(template(profile)))
        assert self.stack is not None
        assert self.stack.status == "CREATE_COMPLETE", [
            (e.logical_id, e.reason) for e in self.stack.events if "FAILED" in e.status
        ]


def _with_plain_ids(profile: str) -> Mapping[str, Any]:
    text = (ROOT / "tests" / "snapshots" / f"{profile}.template.json").read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


@pytest.fixture(scope="module")
def deployments() -> Iterator[Deployments]:
    found = Deployments()
    yield found
    found.open.close()


def deployed(stack: Stack, before: Mapping[str, str], since: int) -> dict[str, str]:
    """What became of each resource."""
    changes = {
        event.logical_id: "changed"
        for event in stack.events[since:]
        if event.status == "UPDATE_COMPLETE" and event.logical_id in before
    }
    now = {name: resource.physical_id for name, resource in stack.resources.items()}
    changes |= {name: "replaced" for name, old in before.items() if name in now and now[name] != old}
    changes |= {name: "removed" for name in before.keys() - now.keys()}
    return changes | {name: "added" for name in now.keys() - before.keys()}


def agree(deployments: Deployments, profile: str, edit: Edit) -> None:
    old, body = template(profile), edit.applied(template(profile))
    review = reviewed(old, body, region(profile))
    stack = deployments.ready(profile)
    before = {name: resource.physical_id for name, resource in stack.resources.items()}
    since = len(stack.events)
    deployments.deploy(body)
    failed = [(e.logical_id, e.reason) for e in stack.events[since:] if e.status == "UPDATE_FAILED"]
    happened = deployed(stack, before, since) if stack.status == "UPDATE_COMPLETE" else {}
    deployments.put_back(replaced="replaced" in happened.values())
    if is_refused(review):
        assert failed, f"review refuses what is deployed: {[d.message for d in review.diagnostics]}"
        return
    assert not failed, f"review did not foresee {failed}"
    assert happened == predicted(review)


@pytest.mark.parametrize("name", QUICK)
def test_review_agrees_with_the_deployment(name: str, deployments: Deployments) -> None:
    agree(deployments, *every_edit()[name])


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(set(every_edit()) - set(QUICK)))
def test_review_agrees_with_the_deployment_of_every_other_edit(name: str, deployments: Deployments) -> None:
    agree(deployments, *every_edit()[name])


def test_every_property_of_the_built_in_templates_is_edited_or_left_for_a_reason() -> None:
    from tests.cloud.edits import leaves

    edited, left = set(every_edit()), set()
    for path in (ROOT / "tests" / "snapshots").glob("*.template.json"):
        for declared in json.loads(path.read_text(encoding="utf-8"))["Resources"].values():
            for at, value in leaves(declared.get("Properties", {})):
                words = "/".join("*" if part.isdigit() else part for part in at)
                name = f"{declared['Type'].removeprefix('AWS::')}/{words}"
                if name not in edited:
                    left.add((declared["Type"], next(p for p in reversed(at) if not p.isdigit()), str(value)))
    unexplained = {(kind, last) for kind, last, _ in left} - set(KEPT) - UNEDITABLE
    assert unexplained == set()


# values that have no other: the version of a policy, an account's own id, everything, the one kind there is
UNEDITABLE = {
    ("AWS::EC2::EIP", "Domain"),
    ("AWS::IAM::Role", "Version"),
    ("AWS::IAM::Role", "aws:ResourceAccount"),
    ("AWS::IAM::Role", "aws:SourceAccount"),
    ("AWS::KMS::Key", "Resource"),
    ("AWS::KMS::Key", "Version"),
    ("AWS::KMS::Key", "kms:CallerAccount"),
    ("AWS::S3::BucketPolicy", "Principal"),
    ("AWS::S3::BucketPolicy", "Version"),
    ("AWS::S3::BucketPolicy", "aws:SourceAccount"),
}
