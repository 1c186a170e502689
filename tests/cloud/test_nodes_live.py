"""Nodes of the embedded cloud fail, are replaced, and come and go with their reservation, by the calendar."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from scripts.cloud.external_events import fail_instance
from scripts.cloud.local import local_cloud
from tests.cloud.living import (
    DATA,
    TERMS,
    ZONE,
    buy,
    days_from_now,
    machines,
    name_of,
    profile,
    statuses,
)
from tests.cloud.sandbox import REGION, Sandbox

pytestmark = [pytest.mark.cloud, pytest.mark.synth]


@pytest.fixture
def ours(tmp_path: Path) -> Iterator[Sandbox]:
    with local_cloud() as cloud:
        sandbox = Sandbox(cloud, tmp_path)
        sandbox.deploy(DATA)
        yield sandbox


def test_a_node_that_fails_is_replaced_by_hyperpod_in_half_an_hour(ours: Sandbox) -> None:
    ours.deploy(profile("hyperpod-slurm", {"count": 4}))
    before = statuses(ours)
    assert list(before.values()) == ["Running"] * 4
    lost = next(iter(before))
    assert fail_instance(ours.cloud.account, REGION, lost)
    assert statuses(ours)[lost] == "Pending"
    ours.cloud.simulation.advance(0.5 * 3600)
    after = statuses(ours)
    assert list(after.values()) == ["Running"] * 4
    assert before.keys() - after.keys() == {lost}


def test_nodes_are_replaced_rebooted_and_deleted_by_their_ids(ours: Sandbox) -> None:
    ours.deploy(profile("hyperpod-slurm", {"count": 4}))
    sagemaker = ours.client("sagemaker")
    first, second, third, fourth = statuses(ours)
    (controller,) = statuses(ours, "controller")
    name = name_of(ours)
    reported = sagemaker.batch_replace_cluster_nodes(
        ClusterName=name, NodeIds=[first, controller, "i-0123456789abcdef0"]
    )
    assert reported["Successful"] == [first]
    assert [failed["ErrorCode"] for failed in reported["Failed"]] == [
        "InvalidInstanceStatus",
        "InstanceIdNotFound",
    ]
    sagemaker.batch_reboot_cluster_nodes(ClusterName=name, NodeIds=[second])
    assert list(statuses(ours).values()) == ["Pending", "Pending", "Running", "Running"]
    ours.cloud.simulation.advance(0.1 * 3600)
    assert statuses(ours)[second] == "Running"
    sagemaker.batch_delete_cluster_nodes(ClusterName=name, NodeIds=[third])
    # the profile follows, and the next deployment takes nobody else
    ours.deploy(profile("hyperpod-slurm", {"count": 3}))
    assert statuses(ours).keys() == {first, second, fourth}
    ours.cloud.simulation.advance(1 * 3600)
    assert first not in statuses(ours)
    assert list(statuses(ours).values()) == ["Running"] * 3
    with pytest.raises(ClientError, match="set NodeIds to 1 to 25"):
        sagemaker.batch_replace_cluster_nodes(ClusterName=name, NodeIds=[f"i-{n:017x}" for n in range(26)])


def test_a_group_that_shrinks_loses_nodes_that_nobody_chose(ours: Sandbox) -> None:
    ours.deploy(profile("hyperpod-slurm", {"count": 8}))
    before = list(statuses(ours))
    ours.deploy(profile("hyperpod-slurm", {"count": 4}))
    left = list(statuses(ours))
    assert len(left) == 4
    assert set(left) < set(before)
    assert left not in (before[:4], before[4:])


@pytest.mark.long
def test_nodes_of_a_training_plan_are_there_from_its_start_to_an_hour_before_its_end(ours: Sandbox) -> None:
    arn = buy(ours.cloud, name="first", start=days_from_now(1), end=days_from_now(8), **TERMS)
    capacity = {"kind": "training-plan", "arn": arn, "availability_zone_id": ZONE}
    ours.deploy(profile("hyperpod-slurm", {"count": 4, "capacity": capacity}))
    plan = ours.client("sagemaker").describe_training_plan
    assert (statuses(ours), plan(TrainingPlanName="first")["Status"]) == ({}, "Scheduled")
    ours.cloud.simulation.advance(25 * 3600)
    assert list(statuses(ours).values()) == ["Running"] * 4
    assert plan(TrainingPlanName="first")["AvailableInstanceCount"] == 0
    ours.cloud.simulation.advance((7 * 24 - 2.5) * 3600)
    assert len(statuses(ours)) == 4
    ours.cloud.simulation.advance(1 * 3600)
    assert statuses(ours) == {}
    assert plan(TrainingPlanName="first")["Status"] == "Active"
    ours.cloud.simulation.advance(1 * 3600)
    assert plan(TrainingPlanName="first")["Status"] == "Expired"


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["eks", "pcs"])
def test_machines_of_a_block_come_and_go_with_it(kind: str, ours: Sandbox) -> None:
    block = buy(ours.cloud, start=days_from_now(1), end=days_from_now(8), **TERMS)
    capacity = {"kind": "capacity-block", "reservation_id": block}
    ours.deploy(profile(kind, {"count": 4, "capacity": capacity}))
    reported = ours.client("ec2").describe_capacity_reservations
    assert machines(ours) == {}
    ours.cloud.simulation.advance(25 * 3600)
    assert len(machines(ours)) == 4
    assert reported(CapacityReservationIds=[block])["CapacityReservations"][0]["State"] == "active"
    first = next(iter(machines(ours)))
    ours.client("ec2").terminate_instances(InstanceIds=[first])
    assert len(machines(ours)) == 4
    assert first not in machines(ours)
    ours.cloud.simulation.advance((7 * 24 - 1.4) * 3600)
    assert machines(ours) == {}
    if kind == "eks":
        (cluster,) = ours.client("eks").list_clusters()["clusters"]
        groups = ours.client("eks").list_nodegroups(clusterName=cluster)["nodegroups"]
        (group,) = [name for name in groups if "train" in name]
        found = ours.client("eks").describe_nodegroup(clusterName=cluster, nodegroupName=group)["nodegroup"]
        assert found["scalingConfig"]["desiredSize"] == 0


def test_a_machine_that_is_not_there_cannot_fail(ours: Sandbox) -> None:
    assert not fail_instance(ours.cloud.account, REGION, "i-0123456789abcdef0")
