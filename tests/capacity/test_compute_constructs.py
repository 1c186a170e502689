"""Launch templates with the layouts of every instance family."""

from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack

from tests.stack.library.library_set import TAGS
from tests.stack.library.support import Synthesized, lint_findings, synthesize
from tests.tables import each_row
from ultracluster.capacity import EfaNodeGroup, EfaNodeGroupProps, InterfaceType, NodeInterface

pytestmark = pytest.mark.synth


def layout(*parts: tuple[range | list[int], int, InterfaceType]) -> list[NodeInterface]:
    return [
        NodeInterface(network_card_index=card, device_index=device, interface_type=interface_type)
        for cards, device, interface_type in parts
        for card in cards
    ]


PRIMARY: tuple[list[int], int, InterfaceType] = ([0], 0, "interface")
CARD_0_EFA: tuple[list[int], int, InterfaceType] = ([0], 1, "efa-only")

# Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html
LAYOUTS = {
    "p4d.24xlarge": layout(PRIMARY, CARD_0_EFA, (range(1, 4), 0, "efa-only")),
    "p4de.24xlarge": layout(PRIMARY, CARD_0_EFA, (range(1, 4), 0, "efa-only")),
    "p5.4xlarge": layout(PRIMARY, CARD_0_EFA),
    "p5.48xlarge": layout(PRIMARY, CARD_0_EFA, (range(1, 32), 0, "efa-only")),
    "p5e.48xlarge": layout(PRIMARY, CARD_0_EFA, (range(1, 32), 0, "efa-only")),
    "p5en.48xlarge": layout(PRIMARY, CARD_0_EFA, (range(1, 16), 0, "efa-only")),
    "p6-b200.48xlarge": layout(PRIMARY, CARD_0_EFA, (range(1, 8), 0, "efa-only")),
    "p6-b300.48xlarge": layout(PRIMARY, (range(1, 17), 0, "efa-only")),
    "p6e-gb200.36xlarge": layout(PRIMARY, ([1, 5, 9, 13], 0, "efa-only")),
    "p6-b200.48xlarge max": layout(
        PRIMARY, CARD_0_EFA, (range(1, 8), 0, "efa-only"), (range(1, 8), 1, "interface")
    ),
    "p6-b300.48xlarge max": layout(PRIMARY, (range(1, 17), 0, "efa-only"), (range(1, 17), 1, "interface")),
}


def group(name: str, **changes: Any) -> EfaNodeGroupProps:
    props = EfaNodeGroupProps(
        name=name,
        interfaces=LAYOUTS["p6-b200.48xlarge"],
        security_group_ids=["sg-0123456789abcdef0"],
        cluster_placement_group=False,
        root_volume_gib=200,
        tags=TAGS,
    )
    return replace(props, **changes)


GROUPS = {
    **{
        name: group(name, instance_type=name.split()[0], interfaces=interfaces)
        for name, interfaces in LAYOUTS.items()
    },
    "placed": group("placed", cluster_placement_group=True, user_data="#!/bin/bash\ntrue\n"),
    "spot": group("spot", market="spot"),
    "block": group("block", market="capacity-block", capacity_reservation_id="cr-0123456789abcdef0"),
    "reserved": group("reserved", capacity_reservation_id="cr-0123456789abcdef0"),
    "tuned": group("tuned", cores=96, threads_per_core=1, image_id="ami-0123456789abcdef0"),
}


@pytest.fixture(scope="module")
def groups() -> Synthesized:
    def build(stack: Stack) -> None:
        for name, props in GROUPS.items():
            EfaNodeGroup(stack, name, props)

    return synthesize(build)


def data_of(groups: Synthesized, name: str) -> dict[str, Any]:
    for template in groups.of_type("AWS::EC2::LaunchTemplate").values():
        tags = template["Properties"]["TagSpecifications"][0]["Tags"]
        if {"Key": "Name", "Value": name} in tags:
            data: dict[str, Any] = template["Properties"]["LaunchTemplateData"]
            return data
    raise AssertionError(name)


@pytest.mark.long
def test_templates_lint_clean(groups: Synthesized) -> None:
    # cfn-lint's lists of types come from prices: p6e-gb200 has none and p5e only in one Region
    unlisted = ("p5e.48xlarge", "p6e-gb200.36xlarge")
    assert [found for found in lint_findings(groups.template) if not any(t in found for t in unlisted)] == []


@pytest.mark.parametrize("name", LAYOUTS)
def test_interfaces_are_the_familys_layout(groups: Synthesized, name: str) -> None:
    rendered = [
        (interface["NetworkCardIndex"], interface["DeviceIndex"], interface["InterfaceType"])
        for interface in data_of(groups, name)["NetworkInterfaces"]
    ]
    wanted = sorted((i.network_card_index, i.device_index, i.interface_type) for i in LAYOUTS[name])
    assert rendered == wanted


@each_row("name", GROUPS)
def test_groups_are_on_interfaces_and_subnets_and_public_addresses_nowhere(
    groups: Synthesized, name: str
) -> None:
    """EC2-08, EC2-12, EKS-17, EKS-26."""
    data = data_of(groups, name)
    assert "SecurityGroupIds" not in data
    for interface in data["NetworkInterfaces"]:
        assert interface["Groups"] == ["sg-0123456789abcdef0"]
        assert not interface.keys() & {"SubnetId", "AssociatePublicIpAddress"}


@each_row("name", GROUPS)
def test_obs_19_metadata_needs_a_token_and_reaches_containers(groups: Synthesized, name: str) -> None:
    options = data_of(groups, name)["MetadataOptions"]
    assert (options["HttpTokens"], options["HttpPutResponseHopLimit"]) == ("required", 2)


@each_row("name", GROUPS)
def test_whatever_is_launched_is_tagged(groups: Synthesized, name: str) -> None:
    specifications = data_of(groups, name)["TagSpecifications"]
    types = [specification["ResourceType"] for specification in specifications]
    assert types == ["instance", "network-interface", "volume"]
    for specification in specifications:
        assert {"Key": "Name", "Value": name} in specification["Tags"]


@each_row("name", GROUPS)
def test_root_volume_is_encrypted(groups: Synthesized, name: str) -> None:
    (mapping,) = data_of(groups, name)["BlockDeviceMappings"]
    assert mapping["Ebs"]["Encrypted"] is True


def test_eks_05_a_reservation_is_targeted_or_not_mentioned(groups: Synthesized) -> None:
    target = {"CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef0"}}
    for name in GROUPS:
        expected = target if name in ("block", "reserved") else None
        assert data_of(groups, name).get("CapacityReservationSpecification") == expected


def test_market_is_stated_unless_on_demand(groups: Synthesized) -> None:
    assert data_of(groups, "block")["InstanceMarketOptions"] == {"MarketType": "capacity-block"}
    assert data_of(groups, "spot")["InstanceMarketOptions"] == {"MarketType": "spot"}
    assert "InstanceMarketOptions" not in data_of(groups, "reserved")


def test_ec2_04_a_placement_group_is_never_added_silently(groups: Synthesized) -> None:
    (placement_group,) = groups.of_type("AWS::EC2::PlacementGroup")
    assert data_of(groups, "placed")["Placement"] == {"GroupName": {"Ref": placement_group}}
    assert [name for name in GROUPS if "Placement" in data_of(groups, name)] == ["placed"]


def test_cpu_options_and_user_data_only_where_given(groups: Synthesized) -> None:
    assert data_of(groups, "tuned")["CpuOptions"] == {"CoreCount": 96, "ThreadsPerCore": 1}
    assert data_of(groups, "placed")["UserData"] == {"Fn::Base64": "#!/bin/bash\ntrue\n"}
    assert not data_of(groups, "spot").keys() & {"CpuOptions", "UserData", "ImageId", "InstanceType"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {
                "market": "capacity-block",
                "capacity_reservation_id": "cr-0123456789abcdef0",
                "cluster_placement_group": True,
            },
            "Capacity Block, which does not support it",  # EC2-05, EC2-06
        ),
        ({"market": "capacity-block"}, "without capacity_reservation_id"),
        (
            {"capacity_reservation_id": "cr-0123456789abcdef0", "cluster_placement_group": True},
            "reserved outside it",  # EC2-04
        ),
        ({"cluster_placement_group": True, "placement_group_name": "mine"}, "a new and an existing"),
        (
            {"capacity_reservation_id": "cr-0123456789abcdef0", "open_reservations": True},
            "more than one of",
        ),
        ({"market": "spot", "open_reservations": True}, "Spot Instances in open reservations"),
        (
            {"market": "spot", "capacity_reservation_id": "cr-0123456789abcdef0"},
            "Spot Instances in reservation",
        ),
        ({"cores": 96}, "both or neither"),
        ({"interfaces": layout(([1], 0, "efa-only"))}, "lack card 0 device 0"),
        ({"interfaces": layout(([0], 0, "efa-only"))}, "'efa-only', which has no IP address"),
        ({"interfaces": layout(PRIMARY, PRIMARY)}, "share a card and device"),
    ],
)
def test_what_ec2_would_refuse_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        EfaNodeGroup(Stack(), "train", group("train", **changes))
