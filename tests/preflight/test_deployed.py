"""Preflight before, beside and after a deployment: a data profile, its cluster, what a deletion leaves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from config.cluster import load_cluster
from config.design.tags import PROFILE_TAG
from config.profile.source.merge import Layered
from scripts.cli.preflight.account import Account
from scripts.cli.preflight.all_checks import Report, hold_against
from scripts.cloud.local import local_cloud
from tests.cloud.sandbox import Sandbox

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

DATA: dict[str, Any] = {"extends": "p6-b200-data", "name": "store"}
CLUSTER: dict[str, Any] = {
    "extends": "p6-b200-cluster",
    "name": "trainers",
    "data": {"profile": "store.yaml"},
    "compute": {
        "groups": [
            {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
            {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 2},
        ]
    },
}


@dataclass(frozen=True)
class Stacks:
    """CloudFormation of this process, as a client tells of its stacks."""

    sandbox: Sandbox

    def can_paginate(self, _: str) -> bool:
        return False

    def describe_stacks(self, *, StackName: str) -> dict[str, Any]:  # noqa: N803 - as boto3 names it
        stack = self.sandbox.stack(StackName)
        if stack is None:
            reported = f"Stack with id {StackName} does not exist"
            raise ClientError({"Error": {"Code": "ValidationError", "Message": reported}}, "DescribeStacks")
        tags = [
            {"Key": PROFILE_TAG, "Value": StackName}
        ]  # the CDK CLI passes them, and this process has none
        return {"Stacks": [{"StackName": StackName, "StackStatus": stack.status, "Tags": tags}]}


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with local_cloud() as cloud:
        yield Sandbox(cloud, tmp_path)


def asked(sandbox: Sandbox, profile: dict[str, Any]) -> Report:
    design = load_cluster(str(sandbox.write(profile))).design
    assert design is not None
    stacks = Stacks(sandbox)
    account = Account(
        number=sandbox.cloud.account,
        clients=lambda service, _: stacks if service == "cloudformation" else sandbox.client(service),
        region=design.profile.region,
        now=datetime.now(UTC),
    )
    return hold_against(design, Layered(), account, account=account.number, now=account.now)


def codes(report: Report) -> set[str]:
    return {one.code for one in report.diagnostics if one.code != "PRE062"}


def said(report: Report, subject: str) -> str:
    (found,) = (one for one in report.results if one.subject == subject)
    return f"{found.state}: {found.said}"


@pytest.mark.long
def test_preflight_goes_with_a_data_profile_from_its_first_day_to_its_last(sandbox: Sandbox) -> None:
    assert codes(asked(sandbox, DATA)) == set()
    before = asked(sandbox, CLUSTER)
    assert codes(before) == {"PRE070"}
    assert said(before, "the network of store").startswith("not checked")
    sandbox.deploy(DATA)
    deployed = asked(sandbox, DATA)
    assert codes(deployed) == set()
    assert said(deployed, "names of parameters") == "ok: the stack's own"
    beside = asked(sandbox, CLUSTER)
    assert codes(beside) == set(), [one.message for one in beside.diagnostics]
    assert said(beside, "parameters of store") == "ok: 6 exist"
    assert said(beside, "/fsx of store").startswith("ok: fs-")
    sandbox.deploy(CLUSTER)
    assert codes(asked(sandbox, CLUSTER)) == set()
    sandbox.delete("trainers")
    sandbox.delete("store")
    left = asked(sandbox, DATA)
    assert codes(left) == {"PRE064", "PRE065"}
    assert said(left, "remaining file systems") == "ok: 1 remains"
    # what is told to be taken really stands in the way
    stack = sandbox.try_deploy(sandbox.load(DATA))
    assert stack.status not in ("CREATE_COMPLETE", "UPDATE_COMPLETE")


def test_a_data_profile_that_was_written_anew_is_reported_before_a_cluster_is_deployed(
    sandbox: Sandbox,
) -> None:
    sandbox.deploy(DATA)
    fsx = sandbox.client("fsx")
    (system,) = fsx.describe_file_systems()["FileSystems"]
    capacity = system["StorageCapacity"]
    sandbox.write({**DATA, "storage": {"lustre": {"capacity_gib": 2 * capacity}}})
    report = asked(sandbox, CLUSTER)
    assert codes(report) == {"PRE071"}
    (found,) = (one for one in report.diagnostics if one.code == "PRE071")
    assert f"{capacity}, but the plan has {2 * capacity}" in found.message
