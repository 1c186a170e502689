"""Regions and zones, and their FSx for Lustre offers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.catalog import catalog

LUSTRE = catalog().lustre


@pytest.mark.parametrize(
    ("name", "hyperpod", "grafana", "prometheus", "scraper", "lustre_efa"),
    [
        ("us-east-1", True, True, True, True, True),
        ("us-west-2", True, True, True, True, True),
        ("us-west-1", True, False, True, True, True),
        ("ap-south-1", True, False, True, True, True),
        ("ap-southeast-3", True, False, True, True, False),
        ("eu-west-3", False, False, True, True, False),
        ("il-central-1", False, False, True, True, False),
        ("us-gov-east-1", False, False, True, False, False),
        ("cn-north-1", False, False, False, False, None),
    ],
)
def test_regions_offer_what_the_facts_say(
    name: str, hyperpod: bool, grafana: bool, prometheus: bool, scraper: bool, lustre_efa: bool | None
) -> None:
    region = catalog().regions[name]
    found = (region.hyperpod, region.grafana, region.prometheus, region.prometheus_scraper, region.lustre_efa)
    assert found == (hyperpod, grafana, prometheus, scraper, lustre_efa)


def test_an_unknown_region_is_absent() -> None:
    assert catalog().region("mars-north-1") is None


def test_grafana_workspaces_exist_in_ten_regions() -> None:
    assert sum(region.grafana for region in catalog().regions.values()) == 10


def test_a_region_with_limited_lustre_offers_two_tiers_and_no_efa() -> None:
    offer = catalog().regions["il-central-1"].lustre
    assert offer is not None
    assert (offer.throughputs_mbps_per_tib, offer.efa) == ((125, 250), False)
    offer = catalog().regions["us-gov-west-1"].lustre
    assert offer is not None
    assert offer.throughputs_mbps_per_tib == ()


@pytest.mark.parametrize(
    ("zone", "machine"),
    [
        ("us-east-1-dfw-2a", "p6e-gb200.36xlarge"),
        ("us-east-1-atl-2a", "p6-b300.48xlarge"),
        ("us-west-2-phx-2a", "p5e.48xlarge"),
    ],
)
def test_local_zones_sell_machines_without_efa_lustre_or_pcs(zone: str, machine: str) -> None:
    found = catalog().zone(zone)
    assert found is not None
    assert found.kind == "local-zone"
    assert found.opt_in
    assert not found.pcs
    assert found.lustre is not None
    assert (found.lustre.throughputs_mbps_per_tib, found.lustre.efa) == ((125, 250), False)
    assert machine in found.instance_types
    assert zone in catalog().instances[machine].capacity_block_regions


def test_a_zone_is_found_by_its_id_too() -> None:
    assert catalog().zone("use1-dfw2-az1") is catalog().zone("us-east-1-dfw-2a")
    assert catalog().zone("usw2-az3") is catalog().regions["us-west-2"].zones[0]
    assert catalog().zone("us-west-2b") is None


@pytest.mark.parametrize(("tier", "unit"), [(125, 38400), (250, 19200), (500, 9600), (1000, 4800)])
def test_storage_13_the_efa_unit_of_a_tier_is_one_server_of_equal_speed(tier: int, unit: int) -> None:
    row = LUSTRE.tiers[tier]
    assert row.efa_capacity_unit_gib == unit
    assert row.efa_capacity_unit_gib * row.throughput_mbps_per_tib == 4800 * 1000
    assert row.disk_baseline_mbps_per_tib == tier


def test_limits_of_lustre_are_those_of_the_facts() -> None:
    assert LUSTRE.max_data_repository_associations == 8
    assert LUSTRE.max_efa_connections == 1024
    assert LUSTRE.default_quota_gib == 100_800
    assert LUSTRE.small_capacities_gib == (1200, 2400)
    assert LUSTRE.capacity_step_gib == 2400
    assert {(c.file_system_efa, c.client): c.gbps for c in LUSTRE.client_ceilings}[(True, "efa")] == 700


@pytest.mark.parametrize(
    ("capacity", "iops"),
    [
        (1200, 1500),
        (2400, 3000),
        (4800, 6000),
        (9600, 6000),
        (12000, 12000),
        (45600, 12000),
        (48000, 24000),
        (72000, 36000),
        (408000, 192000),
    ],
)
def test_storage_10_automatic_metadata_follows_capacity(capacity: int, iops: int) -> None:
    assert LUSTRE.automatic_metadata_iops(capacity) == iops


def test_a_capacity_below_the_smallest_has_no_metadata_figure() -> None:
    with pytest.raises(ValueError, match="600 GiB is below the smallest"):
        LUSTRE.automatic_metadata_iops(600)


def test_user_provisioned_metadata_takes_the_values_of_the_api() -> None:
    assert LUSTRE.allowed_metadata_iops[:5] == (1500, 3000, 6000, 12000, 24000)
    assert LUSTRE.allowed_metadata_iops[-1] == 192_000
    assert len(LUSTRE.allowed_metadata_iops) == 19


@given(st.integers(1, 400), st.integers(1, 400))
def test_automatic_metadata_never_falls_as_capacity_grows(one: int, other: int) -> None:
    less, more = sorted((one * 2400, other * 2400))
    assert LUSTRE.automatic_metadata_iops(less) <= LUSTRE.automatic_metadata_iops(more)
    assert LUSTRE.automatic_metadata_iops(more) in LUSTRE.allowed_metadata_iops
