"""Public failure reports about reservations and placement groups."""

from __future__ import annotations

import pytest

from tests.capacity.node_groups import accepted, group_of
from tests.capacity.node_groups import launch_data as generated
from tests.review.support import codes as review_codes
from tests.review.support import reviewed
from tests.rules.planting import Check, Data, codes_of, codes_of_template, errors, profile

pytestmark = pytest.mark.synth

ID = "cr-0a1b2c3d4e5f60718"
BLOCK = f"kind: capacity-block, reservation_id: {ID}"
ODCR = f"kind: odcr, reservation_id: {ID}"
PLANES = ("eks", "pcs")
TARGET: Data = {"CapacityReservationTarget": {"CapacityReservationId": ID}}


def group(capacity: str, more: str = "") -> str:
    return f"capacity: {{{capacity}}}{more and ', ' + more}"


@pytest.mark.parametrize("plane", PLANES)
def test_ec2_04_a_new_placement_group_beside_a_reservation_is_refused(plane: str, check: Check) -> None:
    assert "CAP021" in errors(check(profile(plane, group(ODCR, "placement_group: {kind: new}"))))
    assert errors(check(profile(plane, group(ODCR)))) == set()


def test_eks_03_no_placement_group_is_added_silently() -> None:
    assert accepted()
    for key, design in accepted().items():
        assert group_of(design).placement_group is None
        assert "Placement" not in generated()[key], key


@pytest.mark.parametrize("plane", PLANES)
def test_ec2_05_a_placement_group_that_the_reservation_is_not_in_is_refused(plane: str, check: Check) -> None:
    ours = "placement_group: {kind: existing, name: ours}"
    assert "CAP021" in errors(check(profile(plane, group(f"{ODCR}, placement_group: theirs", ours))))
    assert "CAP021" in errors(check(profile(plane, group(f"{ODCR}, placement_group: theirs"))))
    assert "CAP021" in errors(check(profile(plane, group("kind: odcr, match: open", ours))))
    assert errors(check(profile(plane, group(f"{ODCR}, placement_group: ours", ours)))) == set()


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("placement", ["{kind: new}", "{kind: existing, name: mine}"])
def test_ec2_06_a_placement_group_on_a_capacity_block_is_refused(
    plane: str, placement: str, check: Check
) -> None:
    assert "CAP015" in errors(check(profile(plane, group(BLOCK, f"placement_group: {placement}"))))
    # nor does anything hint at one where a block is used
    reported = check(profile(plane, group(BLOCK))).diagnostics
    assert [d.hint for d in reported if "placement" in d.hint] == []


def block_template(**more: object) -> Data:
    market = {"MarketType": "capacity-block"}
    return {"InstanceMarketOptions": market, "CapacityReservationSpecification": TARGET, **more}


@pytest.mark.parametrize("placement", [{"GroupName": "mine"}, {"GroupId": "pg-0123456789abcdef0"}])
def test_slurm_06_a_template_on_a_block_with_a_placement_group_is_refused(placement: Data) -> None:
    assert codes_of_template(block_template()) == set()
    assert codes_of_template(block_template(Placement=placement)) == {"CAP015"}


def test_slurm_07_a_reservation_is_taken_for_a_block_only_where_the_profile_says_so() -> None:
    for key, design in accepted().items():
        data, kind = generated()[key], group_of(design).capacity.kind
        assert (data.get("InstanceMarketOptions") is not None) == (kind == "capacity-block"), key
        reserved = kind in ("odcr", "capacity-block")
        assert (data.get("CapacityReservationSpecification") is not None) == reserved, key


def test_slurm_07_a_block_market_without_a_block_is_refused() -> None:
    assert codes_of_template({"InstanceMarketOptions": {"MarketType": "capacity-block"}}) == {"CAP014"}


def pcs_group(data: Data, **properties: object) -> set[str]:
    declared = {
        "ClusterId": "pcs_0123456789",
        "SubnetIds": ["subnet-12345678"],
        "IamInstanceProfileArn": "arn:aws:iam::123456789012:instance-profile/AWSPCS-node",
        "InstanceConfigs": [{"InstanceType": "p6-b200.48xlarge"}],
        "CustomLaunchTemplate": {"TemplateId": "lt-1", "Version": "1"},
        "ScalingConfiguration": {"MinInstanceCount": 0, "MaxInstanceCount": 4},
        **properties,
    }
    template = ("AWS::EC2::LaunchTemplate", {"LaunchTemplateData": data})
    return codes_of("AWS::PCS::ComputeNodeGroup", declared, lt_1=template)


def test_slurm_04_every_template_on_a_block_names_its_instance_type() -> None:
    for key, design in accepted().items():
        if group_of(design).capacity.kind == "capacity-block":
            assert generated()[key]["InstanceType"] == key[0]
    assert pcs_group(block_template(), PurchaseOption="CAPACITY_BLOCK") == {"PCS003"}
    named = block_template(InstanceType="p6-b200.48xlarge")
    assert pcs_group(named, PurchaseOption="CAPACITY_BLOCK") == set()


@pytest.mark.parametrize("plane", PLANES)
def test_eks_05_a_reservation_is_named_or_not_mentioned(plane: str, check: Check) -> None:
    assert "CAP017" in errors(check(profile(plane, group("kind: odcr"))))
    # the schema of this key is spelt otherwise elsewhere; an unknown key is refused, never dropped
    assert "PRO010" in errors(check(profile(plane, group(f"kind: odcr, capacityReservationID: {ID}"))))
    for data in generated().values():
        target = data.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget")
        assert target is None or any(target.values())
    assert codes_of_template({"CapacityReservationSpecification": {"CapacityReservationTarget": {}}}) == {
        "CAP013"
    }


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("capacity", [ODCR, BLOCK])
def test_eks_07_a_reservation_that_does_not_fit_is_refused_and_not_ignored(
    plane: str, capacity: str, check: Check
) -> None:
    elsewhere = group(f"{capacity}, availability_zone_id: usw2-az3")
    assert errors(check(profile(plane, elsewhere))) == {"CAP006"}
    assert errors(check(profile(plane, group(f"{capacity}, availability_zone_id: usw2-az2")))) == set()


def test_eks_10_the_instance_type_stands_in_the_template_alone() -> None:
    for key, data in generated().items():
        if key[1] != "eks":
            continue
        declared = {
            "ClusterName": "mine",
            "NodeRole": "arn:aws:iam::123456789012:role/nodes",
            "Subnets": ["subnet-12345678"],
            "LaunchTemplate": {"Id": "lt-1"},
            "InstanceTypes": [key[0]],
        }
        template = ("AWS::EC2::LaunchTemplate", {"LaunchTemplateData": data})
        assert "EKS003" in codes_of("AWS::EKS::Nodegroup", declared, lt_1=template), key


@pytest.mark.parametrize("plane", ["eks", "pcs", "hyperpod-eks"])
def test_eks_25_many_gpu_nodes_on_demand_are_advised_to_be_reserved(plane: str, check: Check) -> None:
    (reported,) = [d for d in check(profile(plane)).diagnostics if d.code == "CAP011"]
    assert "16 x p6-b200.48xlarge" in reported.message
    reserved = "a training plan" if plane == "hyperpod-eks" else "a Capacity Block or an ODCR"
    assert reserved in reported.hint
    assert "--no-rollback" in reported.hint


PLAN = (
    'kind: training-plan, arn: "arn:aws:sagemaker:us-west-2:123456789012:training-plan/mine", '
    "availability_zone_id: "
)


def test_hyperpod_14_a_plan_in_another_zone_than_its_group_is_refused(check: Check) -> None:
    assert errors(check(profile("hyperpod-eks", group(PLAN + "usw2-az1")))) == {"CAP006"}
    assert errors(check(profile("hyperpod-eks", group(PLAN + "usw2-az2")))) == set()


@pytest.mark.parametrize("count", [0, 8, 15])
def test_hyperpod_18_a_lower_count_is_configured_to_take_arbitrary_nodes(count: int) -> None:
    def cluster(nodes: int) -> Data:
        one = {
            "InstanceGroupName": "train",
            "InstanceType": "ml.p5.48xlarge",
            "InstanceCount": nodes,
            "ExecutionRole": "arn:aws:iam::123456789012:role/nodes",
        }
        return {"Type": "AWS::SageMaker::Cluster", "Properties": {"InstanceGroups": [one]}}

    assert "REV022" in review_codes(reviewed({"A": cluster(16)}, {"A": cluster(count)}))
    assert "REV022" not in review_codes(reviewed({"A": cluster(16)}, {"A": cluster(17)}))
