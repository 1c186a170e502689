"""What survives a stack, and what does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cloud.fixtures import Stacks

pytestmark = pytest.mark.cloud
BAD = {"Type": "AWS::Nothing::AtAll", "DependsOn": "Keep"}


def bucket(policy: str, name: str | None = None) -> dict[str, Any]:
    properties: dict[str, Any] = {"BucketName": name} if name else {}
    return {"Type": "AWS::S3::Bucket", "DeletionPolicy": policy, "Properties": properties}


def exists(stacks: Stacks, name: str) -> bool:
    return name in [b["Name"] for b in stacks.client("s3").list_buckets()["Buckets"]]


@pytest.mark.parametrize(
    ("policy", "stays"), [("Delete", False), ("Retain", True), ("RetainExceptOnCreate", True)]
)
def test_a_deleted_stack_leaves_what_its_policies_retain(stacks: Stacks, policy: str, stays: bool) -> None:
    name = stacks.create({"Keep": bucket(policy)})
    made = stacks.ids(name)["Keep"]
    stack_id = stacks.api.describe_stacks(StackName=name)["Stacks"][0]["StackId"]
    stacks.api.delete_stack(StackName=name)
    assert exists(stacks, made) is stays
    assert stacks.status(stack_id) == "DELETE_COMPLETE"
    skipped = ("Keep", "DELETE_SKIPPED", "") in stacks.events(stack_id)
    assert skipped is stays


@pytest.mark.parametrize(
    ("policy", "stays"), [("Delete", False), ("Retain", True), ("RetainExceptOnCreate", False)]
)
def test_a_first_creation_that_fails_leaves_only_what_is_retained_always(
    stacks: Stacks, policy: str, stays: bool
) -> None:
    made = f"bucket-{policy.lower()}-first"
    name = stacks.create({"Keep": bucket(policy, made), "Bad": BAD})
    assert stacks.status(name) == "ROLLBACK_COMPLETE"
    assert exists(stacks, made) is stays


def test_an_update_that_fails_removes_what_it_had_made(stacks: Stacks) -> None:
    name = stacks.create({"Keep": bucket("Retain")})
    made = f"bucket-{name}-second"
    stacks.update(name, {"Keep": bucket("Retain"), "New": bucket("RetainExceptOnCreate", made), "Bad": BAD})
    assert stacks.status(name) == "UPDATE_ROLLBACK_COMPLETE"
    assert not exists(stacks, made)
    assert set(stacks.ids(name)) == {"Keep"}


@pytest.mark.parametrize(("policy", "stays"), [("Delete", False), ("RetainExceptOnCreate", True)])
def test_a_resource_taken_out_of_the_template_follows_its_deletion_policy(
    stacks: Stacks, policy: str, stays: bool
) -> None:
    parameter = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": "1"}}
    name = stacks.create({"Keep": bucket(policy), "Other": parameter})
    made = stacks.ids(name)["Keep"]
    stacks.update(name, {"Other": parameter})
    assert stacks.status(name) == "UPDATE_COMPLETE"
    assert exists(stacks, made) is stays


@pytest.mark.parametrize(("policy", "stays"), [("Delete", False), ("Retain", True)])
def test_a_replaced_resource_follows_its_replace_policy(stacks: Stacks, policy: str, stays: bool) -> None:
    def version(number: int) -> dict[str, Any]:
        return {**bucket("Delete", f"bucket-{policy.lower()}-{number}"), "UpdateReplacePolicy": policy}

    name = stacks.create({"Keep": version(1)})
    old = stacks.ids(name)["Keep"]
    stacks.update(name, {"Keep": version(2)})
    assert stacks.ids(name)["Keep"] == f"bucket-{policy.lower()}-2"
    assert exists(stacks, old) is stays


def test_a_resource_that_fails_half_made_is_removed_too(stacks: Stacks) -> None:
    half = bucket("Retain", "bucket-half-made")
    half["Properties"]["LoggingConfiguration"] = {"DestinationBucketName": "bucket-that-is-not-there"}
    name = stacks.create({"Half": half})
    assert "does not exist" in stacks.reason(name, "Half", "CREATE_FAILED")
    assert not exists(stacks, "bucket-half-made")
