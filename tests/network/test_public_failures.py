"""Public failure reports about network interfaces: rules report them, and templates avoid them."""

from __future__ import annotations

import pytest

from config.catalog import InstanceType, Layout, catalog
from config.catalog.network.layouts import layout_faults
from tests.capacity.node_groups import accepted, group_of
from tests.capacity.node_groups import launch_data as generated
from tests.rules.planting import (
    Check,
    Data,
    changed,
    codes_of,
    codes_of_template,
    errors,
    laid_out,
    launch_data,
    profile,
    with_efa,
)
from tests.tables import each_row

pytestmark = pytest.mark.synth

LAID_OUT = list(laid_out())
SEVERAL_CARDS = [(row, layout) for row, layout in LAID_OUT if len(row.cards) > 1]
ON_CARD_0 = [row for row in with_efa() if not any(kind.has_efa for kind in row.cards[0].supports)]


def named(rows: list[tuple[InstanceType, Layout]]) -> list[str]:
    return [f"{row.name}-{layout.name}" for row, layout in rows]


def ids(rows: list[InstanceType]) -> list[str]:
    return [row.name for row in rows]


@pytest.mark.parametrize(("row", "layout"), LAID_OUT, ids=named(LAID_OUT))
def test_no_layout_of_ours_is_refused(row: InstanceType, layout: Layout) -> None:
    assert codes_of_template(launch_data(row, layout)) == set()


@pytest.mark.parametrize(("row", "layout"), SEVERAL_CARDS, ids=named(SEVERAL_CARDS))
def test_ec2_03_a_device_index_that_grows_with_the_card_is_refused(row: InstanceType, layout: Layout) -> None:
    def grow(interfaces: list[Data]) -> None:
        for interface in interfaces:
            interface["DeviceIndex"] += interface["NetworkCardIndex"] * row.cards[1].max_interfaces

    assert codes_of_template(changed(launch_data(row, layout), grow)) == {"EFA002"}


def test_ec2_03_device_indexes_are_0_and_1_in_all_that_is_generated() -> None:
    assert generated()
    for key, data in generated().items():
        assert {i["DeviceIndex"] for i in data["NetworkInterfaces"]} <= {0, 1}, key


@pytest.mark.parametrize("name", ["p4d.24xlarge", "p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge"])
def test_eks_01_counting_the_device_with_the_interface_is_refused(name: str) -> None:
    row = catalog().instances[name]
    interfaces = [
        {"NetworkCardIndex": card.index, "DeviceIndex": card.index, "InterfaceType": "efa"}
        for card in row.cards
    ]
    data: Data = {"InstanceType": name, "NetworkInterfaces": interfaces}
    assert codes_of_template(data) == {"EFA002"}


def test_eks_02_the_primary_is_a_plain_interface_and_efa_costs_no_address() -> None:
    for key, design in accepted().items():
        data, layout = generated()[key], group_of(design).layout
        primary = next(i for i in data["NetworkInterfaces"] if i["NetworkCardIndex"] == i["DeviceIndex"] == 0)
        assert layout is not None
        if layout.name in ("ip-saving", "max-ena", "none"):
            assert primary["InterfaceType"] == "interface", key
        if layout.name == "ip-saving":
            assert [i["InterfaceType"] for i in data["NetworkInterfaces"]].count("interface") == 1, key


@pytest.mark.parametrize("row", ON_CARD_0, ids=ids(ON_CARD_0))
@pytest.mark.parametrize("kind", ["efa", "efa-only"])
def test_slurm_01_efa_on_a_card_0_that_takes_none_is_refused(row: InstanceType, kind: str) -> None:
    def put(interfaces: list[Data]) -> None:
        interfaces.append({"NetworkCardIndex": 0, "DeviceIndex": 1, "InterfaceType": kind})

    assert codes_of_template(changed(launch_data(row, row.layouts["ip-saving"]), put)) == {"EFA002"}
    for key, data in generated().items():
        on_card_0 = {i["InterfaceType"] for i in data["NetworkInterfaces"] if i["NetworkCardIndex"] == 0}
        assert key[0] != row.name or on_card_0 == {"interface"}, key


@pytest.mark.parametrize(
    ("card", "device", "kind"), [(1, 0, "interface"), (3, 0, "efa"), (5, 1, "efa-only"), (15, 1, "interface")]
)
def test_slurm_02_an_odd_card_of_gb200_takes_one_efa_only_at_device_0(
    card: int, device: int, kind: str
) -> None:
    row = catalog().instances["p6e-gb200.36xlarge"]
    primary = {"NetworkCardIndex": 0, "DeviceIndex": 0, "InterfaceType": "interface"}
    planted = {"NetworkCardIndex": card, "DeviceIndex": device, "InterfaceType": kind}
    data = {"InstanceType": row.name, "NetworkInterfaces": [primary, planted]}
    assert codes_of_template(data) == {"EFA002"}


@pytest.mark.parametrize("row", with_efa(), ids=ids(with_efa()))
def test_slurm_13_a_second_efa_on_a_card_is_refused(row: InstanceType) -> None:
    layout = row.layouts["ip-saving"]
    first = next(i for i in launch_data(row, layout)["NetworkInterfaces"] if i["InterfaceType"] == "efa-only")

    def double(interfaces: list[Data]) -> None:
        interfaces.append({**first, "DeviceIndex": first["DeviceIndex"] + 1})

    assert codes_of_template(changed(launch_data(row, layout), double)) == {"EFA002"}


@pytest.mark.parametrize("row", with_efa(), ids=ids(with_efa()))
def test_ec2_13_more_interfaces_than_a_card_takes_are_refused_without_a_dry_run(row: InstanceType) -> None:
    card = row.cards[-1]
    full = [
        {"NetworkCardIndex": card.index, "DeviceIndex": device, "InterfaceType": "interface"}
        for device in range(1, card.max_interfaces + 1)
    ]
    data = launch_data(row, row.layouts["ip-saving"])
    assert codes_of_template({**data, "NetworkInterfaces": [*data["NetworkInterfaces"], *full]}) == {"EFA002"}
    for layout in row.layouts.values():
        assert list(layout_faults(row.cards, layout.interfaces, row.max_efa)) == []


def refused_for_a_public_address(row: InstanceType, layout: Layout) -> bool:
    def ask(interfaces: list[Data]) -> None:
        interfaces[0]["AssociatePublicIpAddress"] = True

    return codes_of_template(changed(launch_data(row, layout), ask)) == {"EFA003"}


@pytest.mark.parametrize("row", with_efa(), ids=ids(with_efa()))
def test_ec2_08_a_public_address_beside_several_interfaces_is_refused(row: InstanceType) -> None:
    assert refused_for_a_public_address(row, row.layouts["ip-saving"])


def test_eks_08_no_generated_template_asks_for_a_public_address() -> None:
    assert refused_for_a_public_address(*SEVERAL_CARDS[0])
    for key, data in generated().items():
        assert not any("AssociatePublicIpAddress" in i for i in data["NetworkInterfaces"]), key


def eks_group_codes(data: Data, **group: object) -> set[str]:
    """Return the codes of the errors of an EKS node group with this launch template."""
    properties = {
        "ClusterName": "mine",
        "NodeRole": "arn:aws:iam::123456789012:role/nodes",
        "Subnets": ["subnet-12345678"],
        "LaunchTemplate": {"Id": "lt-1"},
        **group,
    }
    template = ("AWS::EC2::LaunchTemplate", {"LaunchTemplateData": data})
    return codes_of("AWS::EKS::Nodegroup", properties, lt_1=template)


def with_subnets(interfaces: list[Data]) -> None:
    for interface in interfaces:
        interface["SubnetId"] = "subnet-12345678"


def test_ec2_12_subnets_in_the_interfaces_of_a_node_groups_template_are_refused() -> None:
    row = catalog().instances["p5.48xlarge"]
    good = launch_data(row, row.layouts["ip-saving"])
    assert eks_group_codes(good) == set()
    assert eks_group_codes(changed(good, with_subnets)) == {"EKS001"}


def test_eks_17_every_generated_template_leaves_subnets_to_the_node_group() -> None:
    for key, data in generated().items():
        if key[1] == "eks":
            assert eks_group_codes(data) <= {"EKS004"}, key  # a block, which the group must name too
            assert eks_group_codes(changed(data, with_subnets)) >= {"EKS001"}, key


def test_eks_26_security_groups_stand_on_the_interfaces() -> None:
    for key, data in generated().items():
        assert all(i["Groups"] for i in data["NetworkInterfaces"]), key
        assert "SecurityGroupIds" not in data
        if len(data["NetworkInterfaces"]) > 1:
            assert codes_of_template({**data, "SecurityGroupIds": ["sg-12345678"]}) == {"EFA004"}, key


ITSELF = {"IpProtocol": "-1", "SourceSecurityGroupId": "sg-1"}
OUT_TO_ITSELF = {"IpProtocol": "-1", "DestinationSecurityGroupId": "sg-1"}
EVERYWHERE = {"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}


@pytest.mark.parametrize("kind", ["AWS::FSx::FileSystem", "AWS::SageMaker::Cluster"])
@pytest.mark.parametrize(
    ("ingress", "egress", "codes"),
    [
        ([ITSELF], [OUT_TO_ITSELF], set()),
        ([ITSELF], [OUT_TO_ITSELF, EVERYWHERE], set()),
        ([ITSELF], [EVERYWHERE], {"EFA001"}),
        ([EVERYWHERE], [OUT_TO_ITSELF], {"EFA001"}),
        ([], [], {"EFA001"}),
    ],
)
def test_eks_18_addresses_do_not_let_efa_through(
    kind: str, ingress: list[Data], egress: list[Data], codes: set[str]
) -> None:
    fabric: dict[str, Data] = {
        "AWS::FSx::FileSystem": {
            "SecurityGroupIds": ["sg-1"],
            "LustreConfiguration": {"EfaEnabled": True},
        },
        "AWS::SageMaker::Cluster": {
            "VpcConfig": {"SecurityGroupIds": ["sg-1"]},
            "InstanceGroups": [{"InstanceType": "ml.p5.48xlarge"}],
        },
    }
    group = {"SecurityGroupIngress": ingress, "SecurityGroupEgress": egress}
    found = codes_of(kind, fabric[kind], sg_1=("AWS::EC2::SecurityGroup", group))
    assert found & {"EFA001"} == codes


@pytest.mark.parametrize("name", sorted(catalog().unlaid))
@pytest.mark.parametrize("plane", ["eks", "pcs"])
def test_ec2_15_a_type_without_a_public_layout_is_refused_with_its_reason(
    name: str, plane: str, check: Check
) -> None:
    (reported,) = [d for d in check(profile(plane, machine=name)).diagnostics if d.code == "CAP001"]
    assert catalog().unlaid[name].reason in reported.message


def test_eks_09_no_list_of_classes_decides_which_gpu_types_have_a_template() -> None:
    synthesized = {name for name, plane, _ in generated() if plane == "eks"}
    assert synthesized == {row.name for row in with_efa() if row.is_gpu}
    for key, data in generated().items():
        assert data.get("InstanceType", key[0]) == key[0]


FAMILIES = sorted({row.name.split(".")[0] for row in with_efa() if row.is_gpu} | {"p6", "p6e", "p5x"})


@pytest.mark.parametrize("family", FAMILIES)
def test_eks_21_half_a_name_is_refused_and_whole_ones_are_offered(family: str, check: Check) -> None:
    (reported,) = [d for d in check(profile("eks", machine=family)).diagnostics if d.code == "CAP001"]
    assert "did you mean" in reported.hint or "docs/reference/catalogue.md" in reported.hint
    if family in {row.name.split(".")[0] for row in with_efa()}:
        assert f"{family}." in reported.hint


EFA_GPUS = [row for row in with_efa() if row.is_gpu and not row.ultraserver_only]


@pytest.mark.parametrize("row", EFA_GPUS, ids=ids(EFA_GPUS))
@each_row("plane", ["eks", "pcs"])
def test_eks_28_gpu_nodes_without_their_fabric_are_reported(
    row: InstanceType, plane: str, check: Check
) -> None:
    bare = check(profile(plane, "efa: {layout: none}", machine=row.name))
    assert "EFA008" in {d.code for d in bare.diagnostics}
    used = check(profile(plane, machine=row.name))
    assert "EFA008" not in {d.code for d in used.diagnostics}
    assert errors(used) - {"LUS005"} <= {"NVM001"}
    assert used.design is None or used.design.groups[0].efa_per_node >= 1


def test_hyperpod_07_each_of_several_groups_talks_to_itself() -> None:
    cluster = {
        "VpcConfig": {"SecurityGroupIds": ["sg-1", "sg-2"]},
        "InstanceGroups": [{"InstanceType": "ml.p5.48xlarge"}],
    }
    good = {"SecurityGroupIngress": [ITSELF], "SecurityGroupEgress": [OUT_TO_ITSELF]}
    other = {"SecurityGroupIngress": [{**ITSELF, "SourceSecurityGroupId": "sg-2"}]}
    found = codes_of(
        "AWS::SageMaker::Cluster",
        cluster,
        sg_1=("AWS::EC2::SecurityGroup", good),
        sg_2=("AWS::EC2::SecurityGroup", other),
    )
    assert "EFA001" in found
