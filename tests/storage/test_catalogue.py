"""FSx for OpenZFS and S3 Express One Zone."""

import copy
from collections.abc import Callable
from itertools import pairwise
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.catalog import catalog
from config.catalog.files import read
from config.catalog.storage.openzfs import OpenZfsDeploymentType
from tests.tools.catalogue.check import check

OPENZFS = catalog().openzfs
EXPRESS = catalog().s3_express
FIRST = (64, 128, 256, 512, 1024, 2048, 3072, 4096)
SECOND = (160, 320, 640, 1280, 2560, 3840, 5120, 7680, 10240)
Documents = dict[str, Any]


@pytest.mark.parametrize(
    ("name", "throughputs", "servers", "zones", "max_iops"),
    [
        ("SINGLE_AZ_1", FIRST, 1, 1, 160_000),
        ("SINGLE_AZ_HA_1", FIRST, 2, 1, 160_000),
        ("SINGLE_AZ_2", SECOND, 1, 1, 400_000),
        ("SINGLE_AZ_HA_2", SECOND, 2, 1, 400_000),
        ("MULTI_AZ_1", SECOND, 2, 2, 400_000),
    ],
)
def test_a_deployment_type_has_the_throughputs_of_the_api(
    name: str, throughputs: tuple[int, ...], servers: int, zones: int, max_iops: int
) -> None:
    row = OPENZFS.deployments[name]
    assert row.throughputs_mbps == throughputs
    assert (row.file_servers, row.zones, row.max_iops) == (servers, zones, max_iops)
    assert row.highly_available == (servers == 2)


def test_openzfs_knows_every_deployment_type_of_the_api_and_no_other() -> None:
    assert set(OPENZFS.deployments) == set(get_args(OpenZfsDeploymentType))
    assert all(row.deployment_type == name for name, row in OPENZFS.deployments.items())


def test_a_larger_file_server_is_never_slower() -> None:
    for row in OPENZFS.deployments.values():
        for less, more in pairwise(row.speeds.values()):
            assert less.throughput_mbps < more.throughput_mbps
            assert less.network_baseline_mbps < more.network_baseline_mbps
            assert less.disk_iops < more.disk_iops
            assert less.client_connections <= more.client_connections


def test_burst_is_above_the_baseline_or_absent() -> None:
    for row in OPENZFS.deployments.values():
        for speed in row.speeds.values():
            assert (speed.network_burst_mbps or 10**6) > speed.network_baseline_mbps
            assert (speed.disk_burst_mbps or 10**6) > speed.throughput_mbps
            assert (speed.disk_iops_burst or 10**6) > speed.disk_iops


@pytest.mark.parametrize(
    ("region", "deployment_type", "offered"),
    [
        ("us-east-1", "SINGLE_AZ_HA_2", True),
        ("us-east-1", "SINGLE_AZ_HA_1", False),
        ("us-west-1", "SINGLE_AZ_HA_1", True),
        ("ap-east-1", "SINGLE_AZ_2", False),
        ("us-gov-west-1", "SINGLE_AZ_HA_2", True),
        ("eu-west-1", "SINGLE_AZ_1", True),
        ("eu-west-1", "SINGLE_AZ_HA_2", None),
        ("mars-north-1", "SINGLE_AZ_1", None),
    ],
)
def test_a_region_offers_what_was_read_of_it(
    region: str, deployment_type: OpenZfsDeploymentType, offered: bool | None
) -> None:
    assert OPENZFS.offered(region, deployment_type) is offered


def test_no_region_is_both_read_to_its_end_and_partly() -> None:
    assert not set(OPENZFS.regions) & set(OPENZFS.regions_partly_read)
    assert {*OPENZFS.regions, *OPENZFS.regions_partly_read} == set(catalog().regions)
    assert all(set(OPENZFS.types_everywhere) <= set(types) for types in OPENZFS.regions.values())


@pytest.mark.parametrize(
    ("deployment_type", "throughput", "region", "gib"),
    [
        ("SINGLE_AZ_HA_2", 160, "us-east-1", 512 * 1024),
        ("SINGLE_AZ_HA_2", 160, "eu-west-3", 512 * 1024),
        ("SINGLE_AZ_1", 64, "us-east-1", 512 * 1024),
        ("SINGLE_AZ_HA_1", 4096, "us-gov-east-1", 128 * 1024),
        ("MULTI_AZ_1", 160, "us-east-1", 32 * 1024),
        ("MULTI_AZ_1", 2560, "us-east-1", 512 * 1024),
        ("MULTI_AZ_1", 320, "ap-northeast-2", 48 * 1024),
        ("MULTI_AZ_1", 160, "us-west-1", 96 * 1024),
    ],
)
def test_the_most_capacity_follows_type_throughput_and_region(
    deployment_type: OpenZfsDeploymentType, throughput: int, region: str, gib: int
) -> None:
    assert OPENZFS.max_capacity_gib(deployment_type, throughput, region) == gib


def test_capacity_grows_by_a_tenth_at_least() -> None:
    assert OPENZFS.least_growth_percent == 10


def test_automatic_iops_are_three_for_each_gib_up_to_what_the_servers_drive() -> None:
    assert OPENZFS.automatic_iops(2048, "SINGLE_AZ_1") == 6144
    assert OPENZFS.automatic_iops(100_000, "SINGLE_AZ_1") == 160_000
    assert OPENZFS.automatic_iops(100_000, "SINGLE_AZ_HA_2") == 300_000


@pytest.mark.parametrize(("throughput", "size"), [(64, 262_144), (128, 524_288), (160, 1_048_576)])
def test_a_small_file_server_is_mounted_with_smaller_reads_and_writes(throughput: int, size: int) -> None:
    assert OPENZFS.mount_options(throughput) == (
        "nfsvers=4.1", f"rsize={size}", f"wsize={size}", "timeo=600", "_netdev",
    )  # fmt: skip


def test_limits_of_openzfs_are_those_of_the_pages() -> None:
    assert {port: each.protocols for each in OPENZFS.ports for port in range(each.first, each.last + 1)} == (
        dict.fromkeys((111, 2049, 20001, 20002, 20003), ("tcp", "udp"))
    )
    assert (OPENZFS.backup_days_default, OPENZFS.backup_days_max) == (30, 90)
    assert OPENZFS.account_quota_gib("us-east-2") == 262_144
    assert OPENZFS.account_quota_gib("eu-west-1") == 65_536
    assert OPENZFS.final_backup_on_delete
    assert OPENZFS.sources_of("ports") == ("OPENZFS-PORTS",)
    assert OPENZFS.sources_of("delete_option") == ("FSX-API",)


@pytest.mark.parametrize(
    ("zone", "offered"),
    [("use1-az4", True), ("use1-az1", False), ("usw2-az3", True), ("euw1-az2", False), ("eun1-az2", True)],
)
def test_directory_buckets_stand_in_the_zones_that_aws_lists(zone: str, offered: bool) -> None:
    assert EXPRESS.offered(zone) is offered


def test_no_local_zone_takes_a_directory_bucket_of_express_one_zone() -> None:
    local = [zone.zone_id for zone in catalog().zones.values() if zone.kind == "local-zone"]
    assert "use1-dfw2-az1" in local
    assert not any(zone and EXPRESS.offered(zone) for zone in local)


def test_seven_regions_have_zones_for_directory_buckets() -> None:
    assert len(EXPRESS.zones) == 7
    assert EXPRESS.zones_of("us-east-2") == ("use2-az1", "use2-az2")
    assert EXPRESS.zones_of("eu-central-1") == ()


@given(st.sampled_from([zone for zones in EXPRESS.zones.values() for zone in zones]), st.integers(1, 63))
def test_a_base_name_fits_exactly_where_the_full_name_does(zone: str, length: int) -> None:
    name = EXPRESS.bucket_name("a" * length, zone)
    assert name == f"{'a' * length}--{zone}--x-s3"
    assert EXPRESS.max_name_length == 63


def test_the_sources_of_express_are_by_field() -> None:
    assert EXPRESS.sources_of("endpoint") == ("S3X-NETWORK",)
    assert EXPRESS.sources_of("notes") == ("S3X-ZONES",)


def unknown_region(docs: Documents) -> None:
    docs["openzfs"]["regions"]["mars-north-1"] = ["SINGLE_AZ_1"]


def unknown_type(docs: Documents) -> None:
    docs["openzfs"]["regions"]["us-east-1"].append("SINGLE_AZ_9")


def unknown_speeds(docs: Documents) -> None:
    docs["openzfs"]["deployments"]["MULTI_AZ_1"]["speeds"] = "warp"


def missing_figure(docs: Documents) -> None:
    del docs["openzfs"]["capacity"]["max_gib"]


def local_zone(docs: Documents) -> None:
    docs["s3-express"]["zones"]["us-east-1"].append("use1-dfw2-az1")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (unknown_region, "openzfs.json: regions: regions: mars-north-1 is not in regions.json"),
        (unknown_type, "openzfs.json: regions.us-east-1: deployments: SINGLE_AZ_9 is no deployment type"),
        (unknown_speeds, "openzfs.json: deployments.MULTI_AZ_1: speeds: warp is no table of speeds"),
        (missing_figure, "openzfs.json: file: max_gib: is missing"),
        (
            local_zone,
            "s3-express.json: us-east-1: zones: use1-dfw2-az1 is not the id of an availability zone",
        ),
    ],
)
def test_a_spoilt_file_is_found_with_its_place(spoil: Callable[[Documents], None], message: str) -> None:
    docs = copy.deepcopy(dict(read()))
    spoil(docs)
    assert message in [str(fault) for fault in check(docs)]
