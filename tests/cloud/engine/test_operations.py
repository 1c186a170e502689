"""Whole operations in process: rollback, policies, cancelling, forcing, drift."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

from scripts.cloud.faults import Fault
from scripts.cloud.template.errors import RequestRefusedError

if TYPE_CHECKING:
    from scripts.cloud.engine.stack import Stack
    from scripts.cloud.local import LocalCloud

REGION = "us-east-1"


def value(text: str = "1", **more: Any) -> dict[str, Any]:
    return {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": text}, **more}


def bucket(name: str, **more: Any) -> dict[str, Any]:
    return {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": name}, **more}


def deploy(
    local: LocalCloud, resources: Mapping[str, Any], name: str = "s", *, rollback: bool = True
) -> Stack:
    stack: Stack = local.deploy(REGION, name, json.dumps({"Resources": resources}), rollback=rollback)
    return stack


def story(stack: Stack, logical_id: str) -> list[tuple[str, str | None]]:
    return [(e.status, e.reason) for e in stack.events if e.logical_id == logical_id]


def parameters(local: LocalCloud) -> dict[str, str]:
    found = local.client("ssm", REGION).describe_parameters()["Parameters"]
    names = [p["Name"] for p in found]
    ssm = local.client("ssm", REGION)
    return {name: ssm.get_parameter(Name=name)["Parameter"]["Value"] for name in names}


def test_independent_resources_are_made_at_once_and_the_events_say_so(local: LocalCloud) -> None:
    stack = deploy(local, {"A": value(), "B": value(), "C": value(DependsOn=["A", "B"])})
    statuses = [(e.logical_id, e.status) for e in stack.events if e.logical_id != "s"]
    assert statuses[:4] == [(n, "CREATE_IN_PROGRESS") for n in ("A", "A", "B", "B")]
    assert statuses[4:6] == [("A", "CREATE_COMPLETE"), ("B", "CREATE_COMPLETE")]
    begun = {span.logical_id: span.begin_s for span in stack.timeline}
    assert begun["A"] == begun["B"] == 0 < begun["C"]
    assert story(stack, "A")[1] == ("CREATE_IN_PROGRESS", "Resource creation Initiated")


def test_what_is_under_way_when_another_fails_is_cancelled_and_rolled_back(local: LocalCloud) -> None:
    local.faults.inject(Fault(kind="slow", logical_id="Slow", seconds=60))
    local.faults.inject(Fault(kind="refused", logical_id="Bad", seconds=10))
    stack = deploy(local, {"Slow": value(), "Bad": value()})
    assert stack.status == "ROLLBACK_COMPLETE"
    assert story(stack, "Slow") == [
        ("CREATE_IN_PROGRESS", None),
        ("CREATE_IN_PROGRESS", "Resource creation Initiated"),
        ("CREATE_FAILED", "Resource creation cancelled"),
        ("DELETE_IN_PROGRESS", None),
        ("DELETE_COMPLETE", None),
    ]
    reported = [e.reason for e in stack.events if e.status == "ROLLBACK_IN_PROGRESS"]
    assert reported == [
        "The following resource(s) failed to create: [Bad, Slow]. Rollback requested by user."
    ]
    assert parameters(local) == {}


def test_without_rollback_independent_paths_go_on_and_the_failed_one_is_listed(local: LocalCloud) -> None:
    local.faults.inject(Fault(kind="refused", logical_id="Bad", times=1))
    resources = {
        "Bad": value(),
        "After": value(DependsOn="Bad"),
        "Good": value(),
        "More": value(DependsOn="Good"),
    }
    stack = deploy(local, resources, rollback=False)
    assert stack.status == "CREATE_FAILED"
    shown = {name: resource.status for name, resource in stack.shown_resources().items()}
    assert shown == {"Bad": "CREATE_FAILED", "Good": "CREATE_COMPLETE", "More": "CREATE_COMPLETE"}
    made = stack.resources["Good"].physical_id
    again = deploy(local, resources, rollback=False)
    assert again.status == "UPDATE_COMPLETE"
    assert again.resources["Good"].physical_id == made
    assert set(again.shown_resources()) == set(resources)


def test_without_rollback_a_replacement_is_refused_as_aws_refuses_it(local: LocalCloud) -> None:
    deploy(local, {"A": bucket("bucket-first")})
    stack = deploy(local, {"A": bucket("bucket-second")}, rollback=False)
    assert stack.status == "UPDATE_FAILED"
    assert story(stack, "A")[-1] == (
        "UPDATE_FAILED",
        "Replacement type updates not supported on stack with disable-rollback.",
    )


def test_a_rolled_back_update_reverts_first_and_then_removes_what_is_new(local: LocalCloud) -> None:
    deploy(local, {"A": value("old"), "Replaced": bucket("bucket-old")})
    local.faults.inject(Fault(kind="refused", logical_id="Bad"))
    stack = deploy(
        local,
        {
            "A": value("new"),
            "Replaced": bucket("bucket-new"),
            "New": value("new"),
            "Bad": value(DependsOn=["A", "Replaced", "New"]),
        },
    )
    statuses = [e.status for e in stack.events if e.logical_id == "s"]
    assert statuses[-4:] == [
        "UPDATE_IN_PROGRESS",
        "UPDATE_ROLLBACK_IN_PROGRESS",
        "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS",
        "UPDATE_ROLLBACK_COMPLETE",
    ]
    assert list(parameters(local).values()) == ["old"]
    buckets = [b["Name"] for b in local.client("s3", REGION).list_buckets()["Buckets"]]
    assert buckets == ["bucket-old"]
    assert stack.resources["Replaced"].physical_id == "bucket-old"


def test_a_rollback_that_fails_can_be_continued_or_reported_to_skip(local: LocalCloud) -> None:
    deploy(local, {"A": value("old"), "B": value("old")})
    bad = {"A": value("new"), "B": value("new"), "Bad": value(DependsOn=["A", "B"])}
    local.faults.inject(Fault(kind="refused", logical_id="Bad"))
    # the second update of each is the one that takes it back
    local.faults.inject(Fault(kind="slow", logical_id="A", action="update", times=1))
    local.faults.inject(Fault(kind="expired", logical_id="A", action="update", times=1))
    stack = deploy(local, bad)
    assert stack.status == "UPDATE_ROLLBACK_FAILED"
    assert "[A]" in (stack.reason or "")
    backend = local.backend(REGION)
    with pytest.raises(RequestRefusedError, match="UPDATE_ROLLBACK_FAILED state and can not be updated"):
        deploy(local, {"A": value("old")})
    backend.roll_back(stack)
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
    assert set(parameters(local).values()) == {"old"}


def test_a_resource_that_is_skipped_keeps_what_the_update_gave_it(local: LocalCloud) -> None:
    deploy(local, {"A": value("old")})
    local.faults.inject(Fault(kind="refused", logical_id="Bad"))
    local.faults.inject(Fault(kind="slow", logical_id="A", action="update", times=1))
    local.faults.inject(Fault(kind="expired", logical_id="A", action="update"))
    stack = deploy(local, {"A": value("new"), "Bad": value(DependsOn="A")})
    assert stack.status == "UPDATE_ROLLBACK_FAILED"
    local.backend(REGION).roll_back(stack, skip=["A"])
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
    assert list(parameters(local).values()) == ["new"]


def test_an_update_can_be_cancelled(local: LocalCloud) -> None:
    deploy(local, {"A": value("old")})
    backend, ssm = local.backend(REGION), local.client("ssm", REGION)

    def cancel(**_: Any) -> None:
        ssm.meta.events.unregister("after-call.ssm.PutParameter", cancel)
        backend.cancel_update(backend.stack("s"))

    ssm.meta.events.register("after-call.ssm.PutParameter", cancel)
    stack = deploy(local, {"A": value("new"), "B": value(DependsOn="A")})
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
    assert list(parameters(local).values()) == ["old"]
    with pytest.raises(RequestRefusedError, match="cannot be called from current stack status"):
        backend.cancel_update(stack)


def policy(*statements: dict[str, Any]) -> str:
    return json.dumps({"Statement": list(statements)})


ALLOW = {"Effect": "Allow", "Action": "Update:*", "Principal": "*", "Resource": "*"}


@pytest.mark.parametrize(
    ("statement", "change", "denied"),
    [
        ({"Action": "Update:Modify", "Resource": "LogicalResourceId/A"}, {"A": value("2")}, True),
        ({"Action": "Update:Modify", "Resource": "LogicalResourceId/B*"}, {"A": value("2")}, False),
        ({"Action": "Update:Replace", "Resource": "*"}, {"A": value("2")}, False),
        ({"NotAction": "Update:Delete", "Resource": "*"}, {"A": value("2")}, True),
        ({"Action": "Update:*", "NotResource": "LogicalResourceId/A"}, {"A": value("2")}, False),
        (
            {
                "Action": "Update:*",
                "Resource": "*",
                "Condition": {"StringEquals": {"ResourceType": ["AWS::SSM::Parameter"]}},
            },
            {"A": value("2")},
            True,
        ),
    ],
)
def test_a_stack_policy_denies_what_its_statements_say(
    local: LocalCloud, statement: dict[str, Any], change: dict[str, Any], denied: bool
) -> None:
    stack = deploy(local, {"A": value("1")})
    stack.policy = policy(ALLOW, {"Effect": "Deny", "Principal": "*", **statement})
    deploy(local, change)
    assert stack.status == ("UPDATE_ROLLBACK_COMPLETE" if denied else "UPDATE_COMPLETE")
    reasons = [reason or "" for _, reason in story(stack, "A")]
    assert any("Action denied by stack policy: Statement [#2]" in reason for reason in reasons) is denied


def test_what_no_statement_of_a_policy_allows_is_denied(local: LocalCloud) -> None:
    stack = deploy(local, {"A": value("1"), "B": value("1")})
    stack.policy = policy({**ALLOW, "Resource": "LogicalResourceId/A"})
    deploy(local, {"A": value("2"), "B": value("1")})
    assert stack.status == "UPDATE_COMPLETE"
    deploy(local, {"A": value("2")})
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
    assert "no statement allows [Update:Delete] for resource [B]" in (story(stack, "B")[-1][1] or "")


def test_a_deletion_that_fails_can_retain_or_be_forced(local: LocalCloud) -> None:
    backend = local.backend(REGION)
    for name in ("retained", "forced"):
        stack = deploy(local, {"Full": bucket(f"bucket-{name}"), "Other": value()}, name)
        local.client("s3", REGION).put_object(Bucket=f"bucket-{name}", Key="x", Body=b"x")
        with pytest.raises(RequestRefusedError, match="only for stacks in the DELETE_FAILED state"):
            backend.delete(stack, retain=["Full"])
        backend.delete(stack)
        assert stack.status == "DELETE_FAILED"
        assert set(stack.resources) == {"Full"}
        if name == "retained":
            backend.delete(stack, retain=["Full"])
            assert story(stack, "Full")[-1][0] == "DELETE_SKIPPED"
        else:
            backend.delete(stack, force=True)
            assert story(stack, "Full")[-1][0] == "DELETE_FAILED"
        assert stack.status == "DELETE_COMPLETE"


def test_a_new_resource_with_retain_survives_a_rollback_unless_reported_otherwise(local: LocalCloud) -> None:
    local.faults.inject(Fault(kind="refused", logical_id="Bad"))
    resources = {"Kept": bucket("bucket-kept", DeletionPolicy="Retain"), "Bad": value(DependsOn="Kept")}
    stack = deploy(local, resources, rollback=False)
    local.backend(REGION).roll_back(stack, retain_except_on_create=True)
    assert stack.status == "ROLLBACK_COMPLETE"
    assert local.client("s3", REGION).list_buckets()["Buckets"] == []


def test_iam_resources_want_the_callers_word(local: LocalCloud) -> None:
    from scripts.cloud.engine.backend import Request

    role = {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": {}, "RoleName": "x"}}
    request = Request(
        stack_name="iam",
        template=json.dumps({"Resources": {"R": role}}),
        parameters={},
        tags={},
        capabilities=("CAPABILITY_IAM",),
    )
    with pytest.raises(RequestRefusedError, match=r"Requires capabilities : \[CAPABILITY_NAMED_IAM\]"):
        local.backend(REGION).create_change_set("c", "CREATE", request)


def test_what_somebody_deleted_already_does_not_stop_a_deletion(local: LocalCloud) -> None:
    stack = deploy(local, {"A": value(), "Vpc": VPC})
    local.client("ssm", REGION).delete_parameter(Name=stack.resources["A"].physical_id)
    local.client("ec2", REGION).delete_vpc(VpcId=stack.resources["Vpc"].physical_id)
    local.backend(REGION).delete(stack)
    assert stack.status == "DELETE_COMPLETE", stack.reason


VPC = {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}}
