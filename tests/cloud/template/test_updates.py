"""What an update does to a resource: by the provider's schema, and where the service does otherwise."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from config.design.storage.home import capacity_of
from config.profile.storage.home import NewHome
from scripts.cloud.template.effects import Effect
from scripts.cloud.template.functions import KNOWN_AFTER_APPLY
from scripts.cloud.template.updates import effect_of, property_changes
from tests.conftest import read_table

IN_PLACE, INTERRUPTION = Effect.IN_PLACE, Effect.INTERRUPTION
REFUSED, REPLACEMENT = Effect.REFUSED, Effect.REPLACEMENT
FSX, HYPERPOD, VPC = "AWS::FSx::FileSystem", "AWS::SageMaker::Cluster", "AWS::EC2::VPC"
EKS, NODES, PARAMETER = "AWS::EKS::Cluster", "AWS::EKS::Nodegroup", "AWS::SSM::Parameter"

Properties = dict[str, Any]
ROWS = read_table(Path(__file__).parent / "updates.yaml")


def ids(table: str) -> list[str]:
    return [row["row"] for row in ROWS[table]]


def changes(kind: str, before: Properties, after: Properties) -> dict[str, Effect]:
    found = property_changes("us-east-1", kind, before, after)
    return {"/".join(change.path): change.effect for change in found}


def lustre(above: Properties | None = None, **configuration: Any) -> Properties:
    return {
        "FileSystemType": "LUSTRE",
        "StorageCapacity": 9600,
        **(above or {}),
        "LustreConfiguration": {"DeploymentType": "PERSISTENT_2", **configuration},
    }


@pytest.mark.parametrize("row", ROWS["lustre"], ids=ids("lustre"))
def test_a_lustre_file_system_changes_as_the_service_says(row: Properties) -> None:
    found = property_changes("us-east-1", FSX, lustre(**row["before"]), lustre(**row["after"]))
    assert effect_of(found) == row["effect"]
    for change in found:
        assert change.effect in (row["effect"], row.get("beside"), Effect.IN_PLACE)
        if change.effect is not Effect.IN_PLACE:
            assert change.reason
            assert str(change.source).startswith("https://docs.aws.amazon.com/")


def openzfs(above: Properties | None = None, **configuration: Any) -> Properties:
    zfs = {"DeploymentType": "SINGLE_AZ_HA_2", "ThroughputCapacity": 160, **configuration}
    return {
        "FileSystemType": "OPENZFS",
        "StorageCapacity": 1024,
        **(above or {}),
        "OpenZFSConfiguration": zfs,
    }


@pytest.mark.parametrize("row", ROWS["openzfs"], ids=ids("openzfs"))
def test_an_openzfs_file_system_changes_as_the_service_says(row: Properties) -> None:
    found = property_changes("us-east-1", FSX, openzfs(**row["before"]), openzfs(**row["after"]))
    assert effect_of(found) == row["effect"]
    for change in found:
        if change.effect is not Effect.IN_PLACE:
            assert change.reason
            assert str(change.source).startswith("https://docs.aws.amazon.com/")


def test_a_capacity_that_grows_too_little_is_reported_the_least() -> None:
    (change,) = property_changes("us-east-1", FSX, openzfs(), openzfs({"StorageCapacity": 1100}))
    assert str(change.hint).startswith("use 1127 GiB or more: ")


@pytest.mark.parametrize("was", [1024, 1250, 6250, 9999])
def test_home_directories_that_grow_too_little_are_reported_in_users_and_their_space(was: int) -> None:
    (change,) = property_changes(
        "us-east-1", FSX, openzfs({"StorageCapacity": was}), openzfs({"StorageCapacity": was + 1})
    )
    grow = "increase `users` or `gib_per_user` until the home directories total"
    hint = rf"use (\d+) GiB or more: {grow} (\d+) GiB"
    reported = re.search(hint, str(change.hint))
    assert reported
    least, users_gib = map(int, reported.groups())
    homes = [NewHome(kind="new", users=1, gib_per_user=gib) for gib in (users_gib - 1, users_gib)]
    below, enough = map(capacity_of, homes)
    assert below < least <= enough
    assert least * 10 >= was * 11


def test_other_file_systems_are_not_judged_by_the_rules_of_lustre() -> None:
    windows = {"FileSystemType": "WINDOWS", "StorageType": "HDD"}
    assert changes(FSX, windows, {**windows, "StorageType": "SSD"}) == {"StorageType": IN_PLACE}


def group(name: str = "train", **more: Any) -> Properties:
    return {
        "InstanceGroupName": name,
        "InstanceType": "ml.p5.48xlarge",
        "InstanceCount": 16,
        "ExecutionRole": "arn:aws:iam::123456789012:role/nodes",
        **more,
    }


def cluster(*groups: Properties, **more: Any) -> Properties:
    return {"ClusterName": "one", "InstanceGroups": list(groups), **more}


PLACED = {"SecurityGroupIds": ["sg-1"], "Subnets": ["subnet-1"]}


@pytest.mark.parametrize("row", ROWS["groups"], ids=ids("groups"))
def test_a_group_of_hyperpod_changes_as_the_service_says(row: Properties) -> None:
    head, topic = group("head", InstanceCount=1), row.get("topic")
    before, after = cluster(head, group(**row["before"])), cluster(group(**row["after"]), head)
    found = property_changes("us-east-1", HYPERPOD, before, after)
    assert effect_of(found) == row["effect"]
    assert {change.topic for change in found} <= {topic, None}
    assert topic in {change.topic for change in found}
    assert {change.path[:2] for change in found} == {("InstanceGroups", "train")}


def test_a_group_is_known_by_its_name_wherever_it_stands() -> None:
    a, b, c = group("a"), group("b"), group("c")
    assert changes(HYPERPOD, cluster(a, b, c), cluster(c, a, b)) == {}
    assert changes(HYPERPOD, cluster(a, b), cluster(c, a, b)) == {"InstanceGroups/c": IN_PLACE}
    assert changes(HYPERPOD, cluster(a, b), cluster(b)) == {"InstanceGroups/a": INTERRUPTION}
    assert changes(HYPERPOD, cluster(a, b), cluster(group("b", InstanceCount=4), a)) == {
        "InstanceGroups/b/InstanceCount": INTERRUPTION
    }


def test_what_a_hyperpod_cluster_attached_stays() -> None:
    slurm = {"Slurm": {"AccountingDatabase": {"Endpoint": "a", "SecretArn": "b"}}}
    moved = {"Slurm": {"AccountingDatabase": {"Endpoint": "c", "SecretArn": "b"}}}
    assert changes(HYPERPOD, cluster(Orchestrator={"Slurm": {}}), cluster(Orchestrator=slurm)) != {}
    assert set(changes(HYPERPOD, cluster(Orchestrator=slurm), cluster(Orchestrator=moved)).values()) == {
        REFUSED
    }
    scaled = {"AutoScaling": {"Mode": "Enable"}, "ClusterRole": "arn:aws:iam::123456789012:role/a"}
    other = {**scaled, "ClusterRole": "arn:aws:iam::123456789012:role/b"}
    assert changes(HYPERPOD, cluster(**scaled), cluster(**other)) == {"ClusterRole": REFUSED}


@pytest.mark.parametrize("row", ROWS["others"], ids=ids("others"))
def test_a_change_does_what_schema_and_service_say(row: Properties) -> None:
    found = property_changes("us-east-1", row["type"], row["before"], row["after"])
    assert found
    assert effect_of(found) == row["effect"]


def test_the_steps_of_an_upgrade_are_named() -> None:
    (change,) = property_changes("us-east-1", EKS, {"Version": "1.32"}, {"Version": "1.35"})
    assert change.hint == "deploy 1.33, then 1.34, then 1.35"


UNORDERED = [
    (VPC, "Tags", [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}]),
    (FSX, "Tags", [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}]),
    (NODES, "Subnets", ["subnet-1", "subnet-2"]),
    ("AWS::EC2::SecurityGroup", "SecurityGroupIngress", [{"IpProtocol": "-1"}, {"IpProtocol": "tcp"}]),
    ("AWS::Grafana::Workspace", "DataSources", ["CLOUDWATCH", "PROMETHEUS"]),
]


@pytest.mark.parametrize(("kind", "name", "items"), UNORDERED, ids=[f"{r[0]}-{r[1]}" for r in UNORDERED])
def test_the_order_of_an_unordered_list_is_no_change(kind: str, name: str, items: list[Any]) -> None:
    assert changes(kind, {name: items}, {name: items[::-1]}) == {}
    assert len(changes(kind, {name: items}, {name: items[:1]})) == 1


def test_the_order_of_other_lists_counts() -> None:
    assert set(changes(FSX, {"SubnetIds": ["a", "b"]}, {"SubnetIds": ["b", "a"]}).values()) == {REPLACEMENT}


def test_a_tag_more_is_one_change_wherever_it_stands() -> None:
    old = [{"Key": "b", "Value": "2"}]
    assert changes(VPC, {"Tags": old}, {"Tags": [{"Key": "a", "Value": "1"}, *old]}) == {"Tags/a": IN_PLACE}
    assert changes(VPC, {"Tags": old}, {"Tags": [{"Key": "b", "Value": "3"}]}) == {"Tags/b/Value": IN_PLACE}


@pytest.mark.parametrize("row", ROWS["named"], ids=[row["type"] for row in ROWS["named"]])
def test_what_keeps_its_name_cannot_be_replaced(row: Properties) -> None:
    def effect(name: Properties) -> Effect:
        before, after = row["name"] | row["before"], name | row["after"]
        return effect_of(property_changes("us-east-1", row["type"], before, after))

    last = list(row["name"])[-1]
    assert effect(row["name"]) is REFUSED
    assert effect({**row["name"], last: "other"}) is REPLACEMENT
    assert effect({key: value for key, value in row["name"].items() if key != last}) is REPLACEMENT


def test_a_name_known_only_later_is_another_name() -> None:
    before = {"Name": "/a", "Type": "String"}
    assert changes(PARAMETER, before, {**before, "Name": KNOWN_AFTER_APPLY}) == {"Name": REPLACEMENT}


def test_what_the_old_one_holds_alone_stands_in_the_way() -> None:
    link = {"FileSystemId": "fs-1", "FileSystemPath": "/d", "DataRepositoryPath": "s3://a"}
    kind = "AWS::FSx::DataRepositoryAssociation"
    assert changes(kind, link, {**link, "DataRepositoryPath": "s3://b"}) == {"DataRepositoryPath": REFUSED}
    assert changes(kind, link, {**link, "FileSystemId": "fs-2"}) == {"FileSystemId": REPLACEMENT}
    gateway = {"SubnetId": "subnet-1", "AllocationId": "eipalloc-1"}
    moved = {**gateway, "SubnetId": "subnet-2"}
    assert changes("AWS::EC2::NatGateway", gateway, moved) == {"SubnetId": REFUSED}


def test_a_subnet_is_not_replaced_by_one_that_overlaps_it() -> None:
    subnet = {"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/20", "AvailabilityZone": "us-east-1a"}
    kind = "AWS::EC2::Subnet"
    assert changes(kind, subnet, {**subnet, "AvailabilityZone": "us-east-1b"}) == {
        "AvailabilityZone": REFUSED
    }
    assert changes(kind, subnet, {**subnet, "CidrBlock": "10.0.0.0/21"}) == {"CidrBlock": REFUSED}
    assert changes(kind, subnet, {**subnet, "CidrBlock": "10.0.16.0/20"}) == {"CidrBlock": REPLACEMENT}
    assert changes(kind, subnet, {**subnet, "VpcId": "vpc-2"}) == {"VpcId": REPLACEMENT}


def test_what_is_deleted_first_does_not_meet_itself() -> None:
    quota = {"Name": "q", "ClusterArn": "arn", "ComputeQuotaTarget": {"TeamName": "a"}}
    other = {**quota, "ComputeQuotaTarget": {"TeamName": "b"}}
    assert changes("AWS::SageMaker::ComputeQuota", quota, other) == {
        "ComputeQuotaTarget/TeamName": REPLACEMENT
    }
