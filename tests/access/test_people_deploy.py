"""Clusters with users and sessions, deployed and changed in the embedded cloud."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app import synthesize
from scripts.cloud.assets import put_assets
from scripts.cloud.local import local_cloud
from tests.cloud.sandbox import REGION, Sandbox

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@laptop"
ADA = {
    "name": "ada",
    "uid": 20001,
    "groups": ["research"],
    "ssh_keys": [KEY],
    "principal": "arn:aws:iam::123456789012:role/ada",
}
BOB = {"name": "bob", "uid": 20002, "group": "research"}
CONTROLLER = {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1}
SYSTEM = {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2}
TRAIN = {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 2}
GROUPS = {
    "hyperpod-slurm": [CONTROLLER, TRAIN],
    "pcs": [TRAIN],
    "eks": [SYSTEM, TRAIN],
    "hyperpod-eks": [SYSTEM, TRAIN],
}
WITHOUT_REPLACEMENT = {
    "hyperpod-slurm": {"AWS::SSM::Parameter"},
    "pcs": {"AWS::SSM::Parameter"},
    "eks": {"AWS::EKS::AccessEntry"},
    "hyperpod-eks": {"AWS::EKS::AccessEntry"},
}
"""Resources that a new user changes, by control plane; they do not include nodes."""


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with local_cloud() as cloud:
        # EKS accepts entries only for existing principals
        for name in ("ada", "cleo"):
            cloud.client("iam", REGION).create_role(RoleName=name, AssumeRolePolicyDocument="{}")
        yield Sandbox(cloud, tmp_path)


def profile(kind: str, *users: dict[str, Any]) -> dict[str, Any]:
    """A small cluster with these users, whose sessions are logged."""
    teams = {"scheduling": {"teams": [{"name": "research"}]}} if kind == "eks" else {}
    return {
        "extends": "p6-b200",
        "name": "mine",
        "disposable": True,
        "orchestrator": {"kind": kind, **teams},
        "observability": None,
        "storage": {
            "lustre": {"data_repositories": [], "capacity_gib": 9600},
            "home": {"kind": "new", "users": 20},
        },
        "compute": {"groups": GROUPS[kind]},
        "access": {
            "users": list(users),
            "groups": [{"name": "research", "gid": 30001}],
            "sessions": {"logs": {"retention_days": 90}, "idle_timeout_min": 15, "run_as": "ubuntu"},
        },
        "waive": [
            {"code": "ACS014", "reason": "HyperPod's teams come later here"},
            {"code": "HOM006", "reason": "a cluster of a test, which goes at once"},
        ],
    }


def template(sandbox: Sandbox) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(sandbox.backend.stack("mine").template.text)["Resources"]
    return found


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", sorted(GROUPS))
def test_a_new_colleague_changes_nothing_that_a_node_is_made_of(kind: str, sandbox: Sandbox) -> None:
    sandbox.deploy(profile(kind, ADA))
    before = template(sandbox)
    cleo = {**ADA, "name": "cleo", "uid": 20003, "principal": "arn:aws:iam::123456789012:role/cleo"}
    sandbox.deploy(profile(kind, ADA, BOB, cleo))
    after = template(sandbox)
    changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    types = {(after.get(key) or before[key])["Type"] for key in changed}
    assert types - {"AWS::CDK::Metadata"} == WITHOUT_REPLACEMENT[kind]


@pytest.mark.long
@pytest.mark.parametrize("kind", ["hyperpod-slurm", "pcs"])
def test_nodes_find_the_list_where_the_parameter_says_and_may_read_it(kind: str, sandbox: Sandbox) -> None:
    sandbox.deploy(profile(kind, ADA, BOB))
    assembly = sandbox.folder / "assembly"
    synthesize(sandbox.load(profile(kind, ADA, BOB)), outdir=str(assembly))
    put_assets(sandbox.cloud, REGION, assembly)
    value = sandbox.client("ssm").get_parameter(Name="/ultracluster/mine/nodes/people")["Parameter"]["Value"]
    uri, digest = value.split(" ")
    bucket, _, key = uri.removeprefix("s3://").partition("/")
    text = sandbox.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read()
    assert hashlib.sha256(text).hexdigest() == digest
    assert b"user ada 20001 ada 20001 /bin/bash - research\n" in text
    assert f"key ada {KEY}\n".encode() in text
    policies = json.dumps([r for r in template(sandbox).values() if r["Type"] == "AWS::IAM::Role"])
    assert "parameter/ultracluster/mine/nodes/people" in policies
    assert f"{key.partition('/')[0]}/*" in policies  # all versions below the folder of the scripts


@pytest.mark.long
@pytest.mark.parametrize("kind", ["eks", "hyperpod-eks"])
def test_people_with_a_principal_have_an_entry_in_kubernetes(kind: str, sandbox: Sandbox) -> None:
    sandbox.deploy(profile(kind, ADA, BOB))
    eks = sandbox.client("eks")
    (cluster,) = eks.list_clusters()["clusters"]
    principal = ADA["principal"]
    entry = eks.describe_access_entry(clusterName=cluster, principalArn=principal)["accessEntry"]
    assert entry["kubernetesGroups"] == ["research"]
    policies = eks.list_associated_access_policies(clusterName=cluster, principalArn=principal)
    scopes = [one["accessScope"] for one in policies["associatedAccessPolicies"]]
    assert scopes == ([{"type": "namespace", "namespaces": ["research"]}] if kind == "eks" else [])


@pytest.mark.long
@pytest.mark.parametrize("kind", sorted(GROUPS))
def test_sessions_have_a_document_and_a_log_that_nodes_may_write(kind: str, sandbox: Sandbox) -> None:
    sandbox.deploy(profile(kind, ADA))
    (name,) = [
        one["Name"]
        for one in sandbox.client("ssm").list_documents(Filters=[{"Key": "Owner", "Values": ["Self"]}])[
            "DocumentIdentifiers"
        ]
    ]
    content = json.loads(sandbox.client("ssm").get_document(Name=name)["Content"])
    inputs = content["inputs"]
    assert (content["sessionType"], inputs["idleSessionTimeout"], inputs["runAsDefaultUser"]) == (
        "Standard_Stream",
        "15",
        "ubuntu",
    )
    group = inputs["cloudWatchLogGroupName"]
    listed = sandbox.client("logs").describe_log_groups(logGroupNamePrefix=group)["logGroups"]
    assert [one["retentionInDays"] for one in listed] == [90]
    assert group.startswith("mine-SessionsLogs")
    policies = json.dumps([r for r in template(sandbox).values() if r["Type"] == "AWS::IAM::Role"])
    assert "log-group:mine-SessionsLogs*" in policies
