"""A life on the embedded cloud: from data and two clusters on it to the last teardown, and the data stays.

The steps are those of first-day.md, operations.md and end-of-a-block.md in docs/guides, in order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from config.cluster import load_cluster
from scripts.cli.lifecycle.drain import DrainOptions, drain
from scripts.cli.lifecycle.scheduler import Scope
from scripts.cli.lifecycle.teardown import TeardownOptions, teardown
from scripts.cli.lifecycle.where import Where
from scripts.cli.main import main
from scripts.cli.rehearsal.destroy import retained_resources
from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cloud.clients import ACCOUNT_ID
from scripts.cloud.external_events import fail_instance
from scripts.cloud.local import local_cloud
from tests.cli.lifecycle.deployed import Place, Reported
from tests.cloud.inventory import inventory
from tests.cloud.living import TERMS, ZONE, buy, days_from_now, machines, until_half_past_eleven
from tests.cloud.sandbox import REGION, Sandbox, explained

pytestmark = [pytest.mark.cloud, pytest.mark.synth, pytest.mark.long]

DATA, SLURM, BATCH, MOVED = "pretrain-data", "pretrain", "batch", "pretrain-eks"
TYPE = "p6-b200.48xlarge"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@laptop"
ADA = {"name": "ada", "uid": 20001, "groups": ["research"], "ssh_keys": [KEY]}
BOB = {"name": "bob", "uid": 20002, "groups": ["research"]}
CHECKPOINT = {"Key": "step-1000", "Body": b"weights"}
HEAD = [
    {"name": role, "role": role, "instance_type": "m5.4xlarge", "count": 1}
    for role in ("controller", "login")
]
SYSTEM = [{"name": "system", "role": "system", "instance_type": "m6i.2xlarge", "count": 2}]
STATEFUL = ("AWS::FSx::FileSystem", "AWS::S3::Bucket", "AWS::KMS::Key")


@dataclass
class Account:
    """The account, and what is data in it: ids by type, which must be there until the end."""

    sandbox: Sandbox
    kept: dict[str, set[str]] = field(default_factory=dict)
    users: list[Mapping[str, Any]] = field(default_factory=list)

    def data(self) -> dict[str, Any]:
        lustre = {"capacity_gib": 9600, "data_repositories": [
            {"path": "/checkpoints", "bucket": "new", "export": ["new", "changed", "deleted"]}]}  # fmt: skip
        return {
            "extends": "p6-b200-data",
            "name": DATA,
            "storage": {"lustre": lustre, "home": {"kind": "new", "users": 20}},
        }

    def cluster(self, name: str, kind: str, capacity: Mapping[str, Any], **train: Any) -> dict[str, Any]:
        """A cluster on the data; its people are those of the moment."""
        group = {"name": "train", "role": "compute", "instance_type": TYPE, "capacity": capacity, **train}
        people = {"users": self.users, "groups": [{"name": "research", "gid": 30001}]}
        return {
            "extends": "p6-b200-cluster",
            "name": name,
            "data": {"profile": f"./{DATA}.yaml", "other_efa_connections": 64},
            "compute": {"groups": [*(HEAD if kind == "hyperpod-slurm" else SYSTEM), group]},
            "orchestrator": {"kind": kind},
            "storage": None,
            "observability": None,
            **({"access": people} if self.users and kind == "hyperpod-slurm" else {}),
        }

    def deploy(self, profile: Mapping[str, Any]) -> None:
        self.sandbox.deploy(profile)
        self.check()

    def deploy_file(self, file: str) -> None:
        cluster = load_cluster(file)
        assert cluster.design is not None, cluster.diagnostics
        stack = self.sandbox.try_deploy(cluster)
        assert stack.status == "UPDATE_COMPLETE", explained(stack)
        self.check()

    def remember(self) -> None:
        """What the data stack made is data from now on, and each bucket has an object."""
        for kind in STATEFUL:
            self.kept[kind] = set(self.sandbox.ids(DATA, kind).values())
        for bucket in self.kept["AWS::S3::Bucket"]:
            self.sandbox.client("s3").put_object(Bucket=bucket, **CHECKPOINT)

    def check(self) -> None:
        """The data is there, the same and whole."""
        fsx, s3, kms = (self.sandbox.client(name) for name in ("fsx", "s3", "kms"))
        systems = {one["FileSystemId"] for one in fsx.describe_file_systems()["FileSystems"]}
        assert self.kept.get("AWS::FSx::FileSystem", set()) <= systems
        for bucket in self.kept.get("AWS::S3::Bucket", set()):
            assert s3.get_object(Bucket=bucket, Key=CHECKPOINT["Key"])["Body"].read() == CHECKPOINT["Body"]
        for key in self.kept.get("AWS::KMS::Key", set()):
            assert kms.describe_key(KeyId=key)["KeyMetadata"]["KeyState"] == "Enabled"

    def nodes(self, name: str) -> dict[str, str]:
        """The GPU nodes of a HyperPod cluster with their states."""
        (cluster,) = self.sandbox.ids(name, "AWS::SageMaker::Cluster").values()
        reported = self.sandbox.client("sagemaker").list_cluster_nodes(ClusterName=cluster)
        return {
            node["InstanceId"]: node["InstanceStatus"]["Status"]
            for node in reported["ClusterNodeSummaries"]
            if node["InstanceGroupName"] == "train"
        }

    def tear_down(self, profile: Mapping[str, Any]) -> set[str]:
        """As `ultracluster teardown` does, which refuses data under a cluster; gives what is kept."""
        assembly = self.sandbox.assembly(self.sandbox.load(profile))
        kept = {one.physical_id for one in retained_resources(self.sandbox.place, assembly)}
        data = {one for kind in STATEFUL for one in self.sandbox.ids(str(profile["name"]), kind).values()}
        reported = Reported()
        teardown(
            self.where(profile),
            TeardownOptions(confirm=str(profile["name"])),
            reported.teller,
            lambda stack: stack,
        )
        assert all(one in reported.text for one in data), reported.text
        self.check()
        return kept

    def where(self, profile: Mapping[str, Any]) -> Where:
        """The place of a profile's stack, as commands see it."""
        cluster = self.sandbox.load(profile)
        assert cluster.design is not None
        place = Place(ACCOUNT_ID, started=False, cloud=None, sandbox=self.sandbox)
        return Where(
            target=place, design=cluster.design, profile=str(profile["name"]), orchestrator=None, aws=False
        )

    def drain(self, profile: Mapping[str, Any], *, release: bool = False) -> None:
        """No new job on the group, as `ultracluster drain` has it; or jobs again."""
        drain(
            self.where(profile),
            DrainOptions(scope=Scope(groups=("train",)), release=release),
            Reported().teller,
        )


@pytest.fixture
def account(tmp_path: Path) -> Iterator[Account]:
    with local_cloud() as cloud:
        yield Account(Sandbox(cloud, tmp_path))


def test_a_life_from_the_first_day_to_the_last_keeps_its_data_and_leaves_nothing_else(
    account: Account, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    sandbox, cloud = account.sandbox, account.sandbox.cloud
    until_half_past_eleven(sandbox)
    weeks = [(f"{days_from_now(day)[:16]}Z") for day in (0, 7, 14)]
    before = inventory(cloud, REGION)

    # the first day: data, a cluster of Slurm on a training plan, and one of EKS on a Capacity Block
    account.deploy(account.data())
    account.remember()
    arn = buy(cloud, name="spring", **TERMS, start=weeks[0], end=weeks[2])
    plan = {"kind": "training-plan", "arn": arn, "availability_zone_id": ZONE, "instances": 4}
    blocks = [buy(cloud, **TERMS, start=start, end=end) for start, end in pairwise(weeks)]
    block = {
        "kind": "capacity-block", "reservation_id": blocks[0], "start": weeks[0], "end": weeks[1],
        "next": {"reservation_id": blocks[1], "start": weeks[1], "end": weeks[2]},
    }  # fmt: skip
    account.deploy(account.cluster(SLURM, "hyperpod-slurm", plan, count=2))
    account.deploy(account.cluster(BATCH, "eks", block, count=4, spare=1))
    assert list(account.nodes(SLURM).values()) == ["Running"] * 2
    assert len(machines(sandbox)) == 4

    # people come, and no node is exchanged for them
    first = account.nodes(SLURM)
    for user in (ADA, BOB):
        account.users.append(user)
        account.deploy(account.cluster(SLURM, "hyperpod-slurm", plan, count=2))
    assert account.nodes(SLURM) == first

    # it grows, and gets smaller again by the node that was chosen
    account.deploy(account.cluster(SLURM, "hyperpod-slurm", plan, count=4))
    grown = account.nodes(SLURM)
    assert first.keys() < grown.keys()
    chosen = next(iter(first))
    (name,) = sandbox.ids(SLURM, "AWS::SageMaker::Cluster").values()
    sandbox.client("sagemaker").batch_delete_cluster_nodes(ClusterName=name, NodeIds=[chosen])
    account.deploy(account.cluster(SLURM, "hyperpod-slurm", plan, count=3))
    assert grown.keys() - account.nodes(SLURM).keys() == {chosen}

    # a node fails under each control plane, and another takes its place
    faulty = next(iter(account.nodes(SLURM)))
    assert fail_instance(cloud.account, REGION, faulty)
    cloud.simulation.advance(0.5 * 3600)
    assert faulty not in account.nodes(SLURM)
    assert list(account.nodes(SLURM).values()) == ["Running"] * 3
    terminated = next(iter(machines(sandbox)))
    sandbox.client("ec2").terminate_instances(InstanceIds=[terminated])
    assert terminated not in machines(sandbox)
    assert len(machines(sandbox)) == 4

    # the block ends, and the next one begins
    declared = account.cluster(BATCH, "eks", block, count=4, spare=1)
    old = set(machines(sandbox))
    assert main(["rotate", str(sandbox.write(declared)), "--to", str(tmp_path / "then"), "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)["steps"]
    for step in steps:
        if step["action"] == "drain":
            account.drain(declared)
            cloud.simulation.advance((7 * 24 - 1) * 3600)
            assert machines(sandbox) == {}
        elif step["action"] == "deploy":
            account.deploy_file(step["file"])
        elif step["action"] == "wait":
            cloud.simulation.advance(1 * 3600)
        else:
            account.drain(declared, release=True)
    assert len(machines(sandbox)) == 4
    assert not old & machines(sandbox).keys()

    # the cluster of Slurm moves to EKS, beside the old one first, on the same data
    bought = buy(cloud, **TERMS, start=weeks[1], end=weeks[2])
    own = {"kind": "capacity-block", "reservation_id": bought, "start": weeks[1], "end": weeks[2]}
    moved = account.cluster(MOVED, "eks", own, count=3)
    account.deploy(moved)
    with pytest.raises(RehearsalError, match=f"of {DATA} are used by batch, pretrain, pretrain-eks: "):
        account.tear_down(account.data())
    account.tear_down(account.cluster(SLURM, "hyperpod-slurm", plan, count=3))
    assert len(machines(sandbox)) == 7

    # the last day: clusters first, then what the data stands on goes out of the stack's hands, and is listed
    account.tear_down(declared)
    account.tear_down(moved)
    assert machines(sandbox) == {}
    listed = account.tear_down(account.data())
    assert set.union(*account.kept.values()) <= listed
    left = inventory(cloud, REGION) - before
    assert {thing for thing in left if not is_of(thing, listed)} == set()


PARTS = ("route/", "association/", "rule/")
"""Parts of the network that is listed: they have no resource of their own."""

OF_THE_ACCOUNT = ("bucket/cdk-hnb659fds-", "log-group//aws/lambda/")
"""What `cdk bootstrap` makes, and logs that Lambda keeps of functions that are gone: no stack has them."""


def is_of(thing: str, listed: set[str]) -> bool:
    """Whether a thing is one that the last teardown listed, or a part of one."""
    return thing.partition("/")[2] in listed or thing.startswith((*PARTS, *OF_THE_ACCOUNT))
