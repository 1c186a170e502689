"""CIDR blocks of subnets that do not change, and the addresses of every built-in profile."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.cluster import Cluster, load_cluster
from config.design.model import Design
from config.design.network.plan import (
    LARGEST_PREFIX,
    MAX_SECONDARY_ZONES,
    RESERVED_ADDRESSES,
    SMALLEST_PREFIX,
    divide,
    valid_vpc_cidr,
)
from config.design.zones import is_local_zone
from config.profile.source.reference import built_in_names
from config.rules.profile.consistency import zone_id_prefix, zone_is_in

Check = Callable[..., Cluster]


def designed(cluster: Cluster) -> Design:
    assert cluster.design is not None, cluster.diagnostics
    return cluster.design


@st.composite
def _blocks(draw: st.DrawFn) -> str:
    prefix = draw(st.integers(LARGEST_PREFIX, SMALLEST_PREFIX))
    address = draw(st.integers(0, 2**24 - 1)) + (10 << 24)
    return str(IPv4Network((address, prefix), strict=False))


@given(cidr=_blocks())
def test_subnets_are_disjoint_and_inside_the_vpc(cidr: str) -> None:
    assert valid_vpc_cidr(cidr)
    primary, secondary, public = divide(cidr)
    blocks = [IPv4Network(block) for block in (primary, *secondary, *public)]
    assert len(secondary) == MAX_SECONDARY_ZONES
    assert len(public) == MAX_SECONDARY_ZONES
    assert all(block.subnet_of(IPv4Network(cidr)) for block in blocks)
    assert not any(a.overlaps(b) for i, a in enumerate(blocks) for b in blocks[:i])
    assert all(block.prefixlen <= 28 for block in blocks)
    assert blocks[0].num_addresses * 2 == IPv4Network(cidr).num_addresses


@pytest.mark.parametrize(
    "zones",
    [[], ["usw2-az3", "usw2-az1"], ["usw2-az1"], ["usw2-az4", "usw2-az1", "usw2-az3"], ["us-west-2a"]],
)
def test_a_zone_more_or_less_or_in_another_place_moves_no_subnet(zones: list[str], check: Check) -> None:
    before = designed(
        check("extends: p6-b200\nname: mine\nnetwork: {secondary_zones: [usw2-az1, usw2-az3]}\n")
    )
    after = designed(check(f"extends: p6-b200\nname: mine\nnetwork: {{secondary_zones: {zones}}}\n"))
    assert before.network
    assert after.network
    blocks = {subnet.name: subnet.cidr for subnet in before.network.subnets}
    for subnet in after.network.subnets:
        assert blocks.get(subnet.name, subnet.cidr) == subnet.cidr


_GROUPS = (
    "compute:\n  groups:\n"
    "    - {name: controller, role: controller, instance_type: m5.4xlarge, count: 1}\n"
    "    - {name: train, role: compute, instance_type: p6-b200.48xlarge, count: %d}\n"
)


def test_a_cluster_that_grows_moves_no_subnet(check: Check) -> None:
    small, large = (designed(check("extends: p6-b200\nname: mine\n" + _GROUPS % count)) for count in (1, 128))
    assert small.network == large.network
    assert small.hyperpod
    assert large.hyperpod
    assert small.hyperpod.cluster_name == large.hyperpod.cluster_name


def test_a_closed_network_has_endpoints_instead_of_a_way_out(check: Check) -> None:
    downloads = "observability: {collection: {downloads: 's3://my-bucket/metrics'}}\n"
    text = f"extends: p6-b200\nname: mine\nnetwork: {{closed: true}}\n{downloads}"
    network = designed(check(text)).network
    assert network
    assert [subnet.name for subnet in network.subnets] == ["primary", "secondary-usw2-az1"]
    assert network.nat_subnet is None
    assert {"ec2", "fsx", "aps-workspaces", "sagemaker.api"} <= set(network.interface_endpoints)
    assert list(network.interface_endpoints) == sorted(network.interface_endpoints)


def test_a_local_zone_has_its_way_out_in_a_zone_of_the_region() -> None:
    network = designed(load_cluster("p6e-gb200")).network
    assert network
    assert (network.primary.zone, network.subnet("public").zone) == ("use1-dfw2-az1", "use1-az4")


@pytest.mark.parametrize(
    ("zone", "local"),
    [
        ("use1-dfw2-az1", True), ("us-east-1-dfw-2a", True), ("usw2-lax1-az1", True),
        ("usw2-az2", False), ("us-west-2b", False), ("us-gov-west-1a", False), ("usgw1-az1", False),
    ],
)  # fmt: skip
def test_a_local_zone_is_reported_by_its_name(zone: str, local: bool) -> None:
    assert is_local_zone(zone) is local


@pytest.mark.parametrize(
    ("region", "prefix"),
    [
        # https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-availability-zones.html
        ("us-east-1", "use1"), ("us-west-2", "usw2"), ("af-south-1", "afs1"), ("ap-east-1", "ape1"),
        ("ap-south-2", "aps2"), ("ap-southeast-3", "apse3"), ("ca-central-1", "cac1"),
        ("eu-central-1", "euc1"), ("eu-north-1", "eun1"), ("il-central-1", "ilc1"), ("me-south-1", "mes1"),
        ("mx-central-1", "mxc1"), ("sa-east-1", "sae1"), ("cn-northwest-1", "cnnw1"),
        ("us-gov-east-1", "usge1"), ("ap-northeast-1", "apne1"),
    ],
)  # fmt: skip
def test_zone_ids_start_with_their_region(region: str, prefix: str) -> None:
    assert zone_id_prefix(region) == prefix
    assert zone_is_in(f"{prefix}-az1", region)
    assert zone_is_in(f"{region}a", region)
    assert not zone_is_in(f"{prefix}0-az1", region)
    assert not zone_is_in(f"{region}0a", region)


# nodes x cards (HyperPod attaches up to one interface a card), one address a Lustre server, one NAT gateway
_PLAIN = {"controller": 1, "login": 1}
ADDRESSES = {
    "p5": {"primary": 1 + 1 + 16 * 32 + 4 + 1, "public": 1},
    "p5-dev": {"primary": 1 + 1 + 1 * 1 + 1 + 1, "public": 1},
    "p5e": {"primary": 1 + 1 + 16 * 32 + 4 + 1, "public": 1},
    "p5en": {"primary": 1 + 1 + 16 * 16 + 4 + 1, "public": 1},
    "p6-b200": {"primary": 1 + 1 + 16 * 8 + 4 + 1, "public": 1},
    "p6-b200-cluster": {"primary": 1 + 1 + 16 * 8 + 4 + 1, "public": 1},
    "p6-b200-data": {"primary": 4 + 1, "public": 1},
    "p6-b300": {"primary": 1 + 1 + 16 * 17 + 8 + 1, "public": 1},
    "p6e-gb200": {"primary": 17 * 17 + 16 + 1 + 1 + 1, "public": 1},
}


@pytest.mark.parametrize("name", built_in_names())
def test_the_address_budget_of_a_built_in_profile(name: str) -> None:
    design = designed(load_cluster(name))
    assert design.network
    needed = {subnet.name: design.addresses.needed(subnet.name) for subnet in design.network.subnets}
    assert {subnet: count for subnet, count in needed.items() if count} == ADDRESSES[name]


def test_addresses_of_p5_are_those_that_aws_states() -> None:
    # 32 addresses for a P5 instance: sagemaker-hyperpod-prerequisites.html
    (group,) = [group for group in designed(load_cluster("p5")).groups if group.name == "train"]
    assert (group.addresses_per_node, group.efa_per_node, group.interfaces_per_node) == (32, 32, 32)


@pytest.mark.parametrize("name", built_in_names())
def test_every_subnet_keeps_five_addresses_for_aws(name: str) -> None:
    network = designed(load_cluster(name)).network
    assert network
    for subnet in network.subnets:
        size = 2 ** (32 - int(subnet.cidr.split("/")[1]))
        assert subnet.usable_addresses == size - RESERVED_ADDRESSES == size - 5
