"""Which role gains or loses which action on which resource."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.cli.review.differences.grants import grants_of
from scripts.cli.review.differences.iam import IamChange, iam_changes
from scripts.cli.review.differences.stack import Resource
from tests.review.support import Body, reviewed, snapshot

EC2 = {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}
TRUST = {"Statement": [EC2]}


def statement(action: Any, resource: Any, effect: str = "Allow", **more: Any) -> Body:
    return {"Effect": effect, "Action": action, "Resource": resource, **more}


def role(*statements: Body, **more: Any) -> Body:
    policies = [{"PolicyName": "p", "PolicyDocument": {"Statement": list(statements)}}]
    return {
        "Type": "AWS::IAM::Role",
        "Properties": {"AssumeRolePolicyDocument": TRUST, "Policies": policies, **more},
    }


def bucket_policy(*statements: Body) -> Body:
    return {
        "Type": "AWS::S3::BucketPolicy",
        "Properties": {"Bucket": {"Ref": "B"}, "PolicyDocument": {"Statement": list(statements)}},
    }


BUCKET: Body = {"Type": "AWS::S3::Bucket"}


def sentences(old: Body, new: Body) -> list[str]:
    return [change.sentence for change in reviewed(old, new).iam]


READ = statement(["s3:GetObject", "s3:ListBucket"], ["arn:aws:s3:::a", "arn:aws:s3:::a/*"])


def test_a_role_that_gains_actions_is_named_with_what_and_on_what() -> None:
    old = {"R": role(statement("s3:ListBucket", ["arn:aws:s3:::a", "arn:aws:s3:::a/*"]))}
    assert sentences(old, {"R": role(READ)}) == [
        "R gains `s3:GetObject` on `arn:aws:s3:::a` and `arn:aws:s3:::a/*`"
    ]
    assert sentences({"R": role(READ)}, old) == [
        "R loses `s3:GetObject` on `arn:aws:s3:::a` and `arn:aws:s3:::a/*`"
    ]


@pytest.mark.parametrize(
    ("given_", "wide"),
    [
        (statement("*", "*"), "(every action, every resource)"),
        (statement("s3:*", "arn:aws:s3:::a"), "(`s3:*` is every action of s3)"),
        (statement("s3:Get*", "arn:aws:s3:::a"), "(actions by wildcard)"),
        (statement("ec2:RunInstances", "*"), "(every resource)"),
        ({"Effect": "Allow", "NotAction": ["iam:*"], "Resource": "a"}, "(every action)"),
        ({"Effect": "Allow", "Action": "s3:GetObject", "NotResource": ["a"]}, "(every resource)"),
    ],
)  # fmt: skip
def test_wildcards_are_called_out_and_come_first(given_: Body, wide: str) -> None:
    found = reviewed({"A": role()}, {"A": role(READ), "Z": role(given_)}).iam
    assert found[0].holder == "Z"
    assert found[0].sentence.endswith(wide)
    assert [change.is_wide for change in found].count(True) == 1


def test_a_wildcard_that_goes_is_no_danger() -> None:
    (change,) = reviewed({"R": role(statement("*", "*"))}, {"R": role()}).iam
    assert (change.is_wide, change.sentence) == (False, "R loses `*` on `*`")


def test_a_refusal_that_goes_lets_more() -> None:
    refused = role(statement("s3:DeleteObject", "*", "Deny"))
    (removed,) = reviewed({"R": refused}, {"R": role()}).iam
    assert (removed.widens, removed.sentence) == (
        True,
        "R is no longer denied `s3:DeleteObject` on `*` (every resource)",
    )
    (come,) = reviewed({"R": role()}, {"R": refused}).iam
    assert (come.widens, come.sentence) == (False, "R is now denied `s3:DeleteObject` on `*`")


def test_a_policy_of_its_own_counts_for_its_roles_and_moving_it_changes_nothing() -> None:
    apart = {
        "R": role(),
        "P": {"Type": "AWS::IAM::Policy", "Properties": {
            "PolicyName": "p", "Roles": [{"Ref": "R"}], "PolicyDocument": {"Statement": [READ]}}},
    }  # fmt: skip
    assert sentences({"R": role(READ)}, apart) == []
    assert all(text.startswith("R gains `s3:GetObject`") for text in sentences({"R": role()}, apart))


def test_the_same_actions_in_other_statements_are_no_change() -> None:
    split = role(
        statement("s3:ListBucket", ["arn:aws:s3:::a/*", "arn:aws:s3:::a"]),
        statement("s3:GetObject", "arn:aws:s3:::a"),
        statement("s3:GetObject", "arn:aws:s3:::a/*"),
    )
    assert sentences({"R": role(READ)}, {"R": split}) == []


def test_who_may_assume_a_role_is_reported() -> None:
    anyone = {"Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}]}
    gained, lost = sentences({"R": role()}, {"R": role(AssumeRolePolicyDocument=anyone)})
    assert gained == "R gains the trust statement that lets all principals assume it (`sts:AssumeRole`)"
    assert lost == "R loses the trust statement that lets `ec2.amazonaws.com` assume it (`sts:AssumeRole`)"


def test_managed_policies_and_boundaries_are_reported() -> None:
    boundary = "arn:aws:iam::123456789012:policy/limit"
    admin = "arn:aws:iam::aws:policy/AdministratorAccess"
    old, new = role(PermissionsBoundary=boundary), role(ManagedPolicyArns=[admin])
    found = reviewed({"R": old}, {"R": new}).iam
    assert [change.sentence for change in found] == [
        f"R loses the permissions boundary `{boundary}` (the boundary's limits no longer apply)",
        f"R gains the managed policy `{admin}` (full access, according to the policy's name)",
    ]
    assert all(change.is_wide for change in found)


def test_a_condition_that_goes_is_a_gain_without_it() -> None:
    condition: Body = {"Condition": {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}}
    old, new = statement("s3:GetObject", "a", **condition), statement("s3:GetObject", "a")
    gained, lost = sentences({"R": role(old)}, {"R": role(new)})
    assert gained == "R gains `s3:GetObject` on `a`"
    text = '`{"StringEquals": {"aws:SourceAccount": "${AWS::AccountId}"}}`'
    assert lost == f"R loses `s3:GetObject` on `a`; the removed statement has the condition {text}"


def test_a_bucket_that_lets_anyone_read_is_called_out() -> None:
    public = statement("s3:GetObject", "arn:aws:s3:::a/*", Principal="*")
    (text,) = sentences(
        {"B": BUCKET, "P": bucket_policy(READ)}, {"B": BUCKET, "P": bucket_policy(READ, public)}
    )
    assert text == "B gains a statement that allows `s3:GetObject` on `arn:aws:s3:::a/*` to all principals"


def test_a_function_that_others_may_call_and_access_to_kubernetes_are_reported() -> None:
    new = {
        "L": {"Type": "AWS::Lambda::Permission", "Properties": {
            "FunctionName": "f", "Action": "lambda:InvokeFunction", "Principal": "s3.amazonaws.com"}},
        "E": {"Type": "AWS::EKS::AccessEntry", "Properties": {
            "ClusterName": "c", "PrincipalArn": "arn:aws:iam::123456789012:role/people", "AccessPolicies": [
                {"PolicyArn": "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
                 "AccessScope": {"Type": "cluster"}}]}},
    }  # fmt: skip
    first, second = sentences({"B": BUCKET}, {"B": BUCKET, **new})
    assert first.startswith(
        "arn:aws:iam::123456789012:role/people gains the Kubernetes access policy `arn:aws:eks::aws:"
    )
    assert first.endswith("on `c` (full access, according to the policy's name)")
    assert second == "f gains a statement that allows `lambda:InvokeFunction` to `s3.amazonaws.com`"


def test_a_role_that_is_replaced_gains_and_loses_nothing_by_it() -> None:
    logs = {"Type": "AWS::Logs::LogGroup", "Properties": {"LogGroupName": "a"}}
    other = {"Type": "AWS::Logs::LogGroup", "Properties": {"LogGroupName": "b"}}
    writes = role(statement("logs:PutLogEvents", {"Fn::GetAtt": ["G", "Arn"]}))
    assert sentences({"R": writes, "G": logs}, {"R": writes, "G": other}) == []


ODD: list[Any] = [
    None, [], "no JSON", '{"Statement": []}', {"Statement": "x"}, {"Statement": {"Effect": "Allow"}},
    {"Statement": [1, {"Principal": {"AWS": None}, "Action": None}]}, {"Statement": [{"Principal": [1]}]},
]  # fmt: skip


@pytest.mark.parametrize("document", ODD, ids=range(len(ODD)))
def test_a_policy_that_is_written_otherwise_ends_in_no_traceback(document: Any) -> None:
    given_ = {
        "PolicyDocument": document,
        "AssumeRolePolicyDocument": document,
        "Policies": document,
        "Bucket": document,
    }
    stack = {
        kind: Resource(kind, given_)
        for kind in ("AWS::IAM::Role", "AWS::IAM::Policy", "AWS::S3::BucketPolicy")
    }
    assert iam_changes(stack, stack) == ()
    assert all(change.sentence for change in iam_changes({}, stack))


NAMES = st.sampled_from(["s3:GetObject", "s3:Put*", "*", "ec2:RunInstances"])
PLACES = st.sampled_from(["*", "a", "b", "c"])
STATEMENTS = st.builds(
    lambda action, resource, effect: statement(sorted(action), sorted(resource), effect),
    st.sets(NAMES, min_size=1), st.sets(PLACES, min_size=1), st.sampled_from(["Allow", "Deny"]),
)  # fmt: skip
STACKS = st.dictionaries(
    st.sampled_from(["R", "S"]),
    st.lists(STATEMENTS, max_size=3).map(
        lambda found: Resource("AWS::IAM::Role", role(*found)["Properties"])
    ),
)


def reported(changes: tuple[IamChange, ...], change: str) -> set[tuple[str, ...]]:
    return {
        (found.holder, found.kind, found.effect, principal, action, resource)
        for found in changes
        if found.change == change
        for principal in found.principals
        for action in found.actions
        for resource in found.resources
    }


@given(old=STACKS, new=STACKS)
def test_what_is_reported_is_exactly_what_differs(old: dict[str, Resource], new: dict[str, Resource]) -> None:
    before, after = ({tuple(grant)[:6] for grant in grants_of(stack)} for stack in (old, new))
    found = iam_changes(old, new)
    assert reported(found, "gained") == after - before
    assert reported(found, "lost") == before - after
    assert reported(iam_changes(new, old), "gained") == reported(found, "lost")


def test_every_policy_of_the_built_in_clusters_is_read() -> None:
    body = snapshot("p6-b200.eks")
    stack = {name: Resource(r["Type"], r.get("Properties", {})) for name, r in body["Resources"].items()}
    holders = {grant.holder for grant in grants_of(stack)}
    roles = {name for name, resource in stack.items() if resource.type == "AWS::IAM::Role"}
    assert roles <= holders
    assert iam_changes(stack, stack) == ()
    assert json.dumps([change.sentence for change in iam_changes({}, stack)])
