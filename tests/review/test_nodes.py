"""Nodes at once: what a change needs, against what is reserved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from config.diagnostics import Severity
from scripts.cli.review import Review
from tests.review.support import Body, codes, reviewed

PLAN = "arn:aws:sagemaker:us-west-2:123456789012:training-plan/mine"
RESERVATION = "cr-0123456789abcdef0"
ROLE = "arn:aws:iam::123456789012:role/nodes"


def group(name: str, count: int, plan: str | None = PLAN) -> Body:
    found = {
        "InstanceGroupName": name,
        "InstanceType": "ml.p5.48xlarge",
        "InstanceCount": count,
        "ExecutionRole": ROLE,
    }
    return found if plan is None else {**found, "TrainingPlanArn": plan}


def cluster(*groups: Body, name: str = "one", reserved: Mapping[str, int] | None = None) -> Body:
    made: Body = {
        "Type": "AWS::SageMaker::Cluster",
        "Properties": {"ClusterName": name, "InstanceGroups": list(groups)},
    }
    return {**made, "Metadata": {"ultracluster:capacity": dict(reserved)}} if reserved else made


def found(review: Review, code: str) -> Any:
    (diagnostic,) = (d for d in review.diagnostics if d.code == code)
    return diagnostic


def test_a_replaced_cluster_needs_old_and_new_nodes_at_once() -> None:
    review = reviewed({"A": cluster(group("train", 16))}, {"A": cluster(group("train", 16), name="two")})
    peak = found(review, "REV030")
    assert (peak.severity, peak.path) == (Severity.ERROR, "A")
    assert f"32 nodes of {PLAN} are needed at the same time, but 16 are reserved (assumed" in peak.message
    assert "set `count` to 0" in peak.hint
    assert "which terminates its 16 nodes" in found(review, "REV021").message


def test_what_the_profile_says_of_its_reservation_counts() -> None:
    def renamed(held: int) -> Review:
        old, new = (cluster(group("train", 16), name=name, reserved={PLAN: held}) for name in ("one", "two"))
        return reviewed({"A": old}, {"A": new})

    assert "32 nodes" in found(renamed(16), "REV030").message
    assert "but 16 are reserved" in found(renamed(16), "REV030").message
    assert "assumed" not in found(renamed(16), "REV030").message
    assert "REV030" not in codes(renamed(32))


def test_a_reservation_that_grows_with_the_change_counts_as_it_will_be() -> None:
    old = cluster(group("train", 16), reserved={PLAN: 16})
    new = cluster(group("train", 32), reserved={PLAN: 32})
    assert codes(reviewed({"A": old}, {"A": new})) == []


def test_more_nodes_than_the_reservation_holds_are_an_error_without_any_replacement() -> None:
    old, new = (cluster(group("train", count), reserved={PLAN: 16}) for count in (16, 20))
    peak = found(reviewed({"A": old}, {"A": new}), "REV030")
    assert "20 nodes" in peak.message
    assert "16 are reserved" in peak.message


@pytest.mark.parametrize("count", [8, 16, 32])
def test_a_group_may_grow_and_shrink_in_place(count: int) -> None:
    review = reviewed({"A": cluster(group("train", 16))}, {"A": cluster(group("train", count))})
    assert codes(review) == (["REV022"] if count < 16 else [])


def test_nodes_on_demand_are_a_warning_with_the_figures() -> None:
    old, new = (cluster(group("train", 4, plan=None), name=name) for name in ("one", "two"))
    peak = found(reviewed({"A": old}, {"A": new}), "REV031")
    assert peak.severity is Severity.WARNING
    assert "8 x ml.p5.48xlarge on demand are needed at the same time, but only 4 run" in peak.message


def test_a_refused_change_needs_no_nodes() -> None:
    old, new = (cluster(group("train", 16)) for _ in "ab")
    new["Properties"]["VpcConfig"] = {"Subnets": ["subnet-1"], "SecurityGroupIds": ["sg-1"]}
    review = reviewed({"A": old}, {"A": new})
    assert codes(review) == ["REV011"]


def test_a_cluster_under_another_logical_id_starts_before_the_old_one_goes() -> None:
    old, new = cluster(group("train", 16)), cluster(group("train", 16), name="two")
    review = reviewed({"A": old}, {"B": new})
    assert found(review, "REV030").path == "A, B"
    assert "is deleted, which terminates its 16 nodes" in found(review, "REV022").message


def test_nodes_that_move_between_groups_may_need_room_for_both() -> None:
    old = cluster(group("a", 12), group("b", 4))
    new = cluster(group("a", 4), group("b", 12))
    exchange = found(reviewed({"A": old}, {"A": new}), "REV032")
    assert exchange.severity is Severity.WARNING
    assert "up to 24 nodes" in exchange.message
    roomy = [{**side, "Metadata": {"ultracluster:capacity": {PLAN: 24}}} for side in (old, new)]
    assert "REV032" not in codes(reviewed({"A": roomy[0]}, {"A": roomy[1]}))


def test_each_reservation_is_counted_alone() -> None:
    other = f"{PLAN}-2"
    old = cluster(group("a", 8), group("b", 4, plan=other))
    new = cluster(group("a", 8), group("b", 4, plan=other), name="two")
    peaks = [d.message for d in reviewed({"A": old}, {"A": new}).diagnostics if d.code == "REV030"]
    assert [message.split(" ", 1)[0] for message in peaks] == ["16", "8"]


def flexible(name: str, count: int, *types: str) -> Body:
    named = group(name, count, plan=None)
    del named["InstanceType"]
    return {**named, "InstanceRequirements": {"InstanceTypes": [f"ml.{kind}.48xlarge" for kind in types]}}


def continuous(*groups: Body, name: str = "one") -> Body:
    made = cluster(*groups, name=name)
    made["Properties"] |= {"NodeProvisioningMode": "Continuous", "Orchestrator": {"Slurm": {}}}
    return made


@pytest.mark.parametrize(
    ("before", "after", "reported"),
    [
        (("p5e", "p5en"), ("p5e", "p5en"), "ml.p5e.48xlarge or ml.p5en.48xlarge"),
        (("p5e",), ("p5en", "p5e"), "ml.p5e.48xlarge or ml.p5en.48xlarge"),
        (("p5e", "p5en"), ("p5en", "p5"), "ml.p5.48xlarge or ml.p5e.48xlarge or ml.p5en.48xlarge"),
    ],
)
def test_groups_that_may_take_the_same_type_are_counted_together(
    before: tuple[str, ...], after: tuple[str, ...], reported: str
) -> None:
    old, new = flexible("a", 16, *before), flexible("b", 16, *after)
    peak = found(reviewed({"A": continuous(old)}, {"A": continuous(new)}), "REV031")
    assert f"up to 32 x {reported} on demand are needed at the same time" in peak.message
    assert "only 16 run now" in peak.message
    replaced = reviewed({"A": continuous(old)}, {"A": continuous(new, name="two")})
    assert (
        f"32 x {reported} on demand are needed at the same time, but only 16 run"
        in found(replaced, "REV031").message
    )


def test_groups_of_other_types_are_counted_alone() -> None:
    old, new = flexible("a", 16, "p5", "p5e"), flexible("b", 16, "p5en")
    assert codes(reviewed({"A": continuous(old)}, {"A": continuous(new)})) == ["REV022"]


def test_the_types_of_a_group_that_exists_stay() -> None:
    old, new = flexible("train", 16, "p5e", "p5en"), flexible("train", 16, "p5e", "p5")
    refused = found(reviewed({"A": continuous(old)}, {"A": continuous(new)}), "REV010")
    assert "cannot change the instance types of a group" in refused.message
    assert "rename the group" in refused.hint


def nodegroup(count: int, version: str, **update: Any) -> Body:
    data = {
        "CapacityReservationSpecification": {
            "CapacityReservationTarget": {"CapacityReservationId": RESERVATION}
        },
        "InstanceType": "p5.48xlarge",
        "ImageId": version,
    }
    return {
        "Template": {"Type": "AWS::EC2::LaunchTemplate", "Properties": {"LaunchTemplateData": data}},
        "Nodes": {
            "Type": "AWS::EKS::Nodegroup",
            "Properties": {
                "ClusterName": "c",
                "NodeRole": ROLE,
                "Subnets": ["subnet-1"],
                "ScalingConfig": {"DesiredSize": count, "MinSize": 0, "MaxSize": 64},
                "UpdateConfig": update,
                "LaunchTemplate": {
                    "Id": {"Ref": "Template"},
                    "Version": {"Fn::GetAtt": ["Template", "LatestVersionNumber"]},
                },
            },
        },
    }


@pytest.mark.parametrize(
    ("update", "peak"),
    [
        ({}, 18),
        ({"MaxUnavailable": 1}, 18),
        ({"MaxUnavailable": 4}, 20),
        ({"MaxUnavailablePercentage": 50}, 24),
        ({"MaxUnavailable": 1, "UpdateStrategy": "DEFAULT"}, 18),
    ],
    ids=["nothing_stated", "one", "four", "half", "default"],
)
def test_a_rolling_update_of_eks_starts_nodes_beside_those_that_run(update: Body, peak: int) -> None:
    review = reviewed(nodegroup(16, "ami-1", **update), nodegroup(16, "ami-2", **update))
    assert f"{peak} nodes of {RESERVATION}" in found(review, "REV030").message


def test_the_minimal_strategy_of_eks_needs_no_room() -> None:
    minimal = {"MaxUnavailable": 1, "UpdateStrategy": "MINIMAL"}
    review = reviewed(nodegroup(16, "ami-1", **minimal), nodegroup(16, "ami-2", **minimal))
    assert codes(review) == ["REV021"]


def test_pcs_replaces_its_nodes_one_by_one_but_a_new_group_starts_beside_the_old() -> None:
    def nodes(types: str, image: str) -> Body:
        properties = {
            "ClusterId": "pcs_a",
            "IamInstanceProfileArn": "arn:aws:iam::123456789012:instance-profile/AWSPCS-a",
            "SubnetIds": ["subnet-1"],
            "AmiId": image,
            "InstanceConfigs": [{"InstanceType": types}],
            "ScalingConfiguration": {"MinInstanceCount": 8, "MaxInstanceCount": 8},
            "CustomLaunchTemplate": {
                "TemplateId": {"Ref": "Template"},
                "Version": {"Fn::GetAtt": ["Template", "LatestVersionNumber"]},
            },
        }
        group = {"Type": "AWS::PCS::ComputeNodeGroup", "Properties": properties}
        return {"Template": nodegroup(1, "ami-1")["Template"], "Nodes": group}

    rolled = reviewed(nodes("p5.48xlarge", "ami-1"), nodes("p5.48xlarge", "ami-2"))
    assert codes(rolled) == ["REV021"]
    replaced = reviewed(nodes("p5.48xlarge", "ami-1"), nodes("p5en.48xlarge", "ami-1"))
    assert f"16 nodes of {RESERVATION}" in found(replaced, "REV030").message
