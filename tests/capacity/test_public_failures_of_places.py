"""Public failure reports about Regions, zones, addresses and instance types."""

from __future__ import annotations

import json

import pytest

from config.catalog import catalog
from config.cluster import load_cluster
from config.profile.source.reference import built_in_names
from tests.conftest import SNAPSHOTS
from tests.rules.planting import Check, errors, profile, with_efa
from tests.tables import each_row

REGIONS = sorted(catalog().regions)
SERVICES = {"hyperpod-eks": "hyperpod", "hyperpod-slurm": "hyperpod", "pcs": "pcs"}


def in_region(plane: str, region: str) -> str:
    return profile(plane, more=f"region: {region}\navailability_zone: {region}a\n")


@pytest.mark.parametrize("plane", SERVICES)
def test_hyperpod_22_a_control_plane_is_refused_where_the_service_does_not_exist(
    plane: str, check: Check
) -> None:
    there = {name for name in REGIONS if getattr(catalog().regions[name], SERVICES[plane])}
    assert 0 < len(there) < len(REGIONS)
    refused = {name for name in REGIONS if "ORC006" in errors(check(in_region(plane, name)))}
    assert refused == set(REGIONS) - there


@each_row("row", with_efa())
def test_slurm_11_a_type_that_no_source_lists_in_the_region_is_reported(row: object, check: Check) -> None:
    instance = catalog().instances[getattr(row, "name", "")]
    sold = {*instance.on_demand_regions, *instance.capacity_block_regions}
    for region in REGIONS:
        reported = check(in_region("pcs", region).replace("p6-b200.48xlarge", instance.name)).diagnostics
        warned = "CAP009" in {d.code for d in reported}
        expected = bool(instance.capacity_block_regions) and region not in sold
        assert warned == expected, region


@pytest.mark.parametrize("zone", ["usw2-az9x", "us-west-2b", "USW2-AZ2", "usw2_az2", '"usw2-az1,usw2-az2"'])
def test_hyperpod_40_a_zone_id_has_one_form(zone: str, check: Check) -> None:
    assert "PRO016" in errors(check(profile("eks", more=f"availability_zone_id: {zone}\n")))


@pytest.mark.parametrize("name", built_in_names())
def test_hyperpod_40_zones_are_literal_ids_and_no_parameters(name: str) -> None:
    template = json.loads((SNAPSHOTS / f"{name}.template.json").read_text(encoding="utf-8"))
    assert set(template.get("Parameters", {})) <= {"BootstrapVersion"}
    subnets = [r["Properties"] for r in template["Resources"].values() if r["Type"] == "AWS::EC2::Subnet"]
    zones = {subnet.get("AvailabilityZoneId") for subnet in subnets}
    design = load_cluster(name).design
    assert design is not None
    owned = design.profile.network is not None
    assert zones == ({design.profile.zone, *_secondary(name)} if owned else set())


def _secondary(name: str) -> tuple[str, ...]:
    design = load_cluster(name).design
    assert design is not None
    network = design.profile.network
    return network.secondary_zones if network and network.kind == "new" else ()


# Source: https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html
GPUS = {
    "p4d.24xlarge": 8, "p4de.24xlarge": 8, "p5.4xlarge": 1, "p5.48xlarge": 8, "p5e.48xlarge": 8,
    "p5en.48xlarge": 8, "p6-b200.48xlarge": 8, "p6-b300.48xlarge": 8, "p6e-gb200.36xlarge": 4,
    "g6.8xlarge": 1, "g6.12xlarge": 4, "g6.48xlarge": 8, "g6e.12xlarge": 4, "g6e.48xlarge": 8,
}  # fmt: skip


@pytest.mark.parametrize(("name", "gpus"), GPUS.items())
def test_slurm_08_gpus_are_counted_by_a_table_of_types(name: str, gpus: int, check: Check) -> None:
    cluster = check(profile("pcs", machine=name))
    assert cluster.design is not None or catalog().instances[name].ultraserver_only or errors(cluster)
    row = catalog().instances[name].gpu
    assert row is not None
    assert row.count == gpus
    if cluster.design:
        assert cluster.design.groups[0].gpus == 16 * gpus


@pytest.mark.parametrize("plane", ["eks", "pcs"])
def test_eks_26_a_group_without_a_zone_that_is_stated_is_refused(plane: str, check: Check) -> None:
    text = profile(plane, more="availability_zone_id: null\navailability_zone: null\n")
    assert "PRO020" in errors(check(text))
    other = profile(plane, "zone: usw2-az1")
    assert "NET006" in errors(check(other))


@pytest.mark.parametrize(("old", "new"), [("usw2-az2", "usw2-az3"), ("10.0.0.0/16", "10.1.0.0/16")])
def test_slurm_12_what_can_only_be_replaced_takes_another_name(old: str, new: str, check: Check) -> None:
    base = "extends: p6-b200\nname: mine\navailability_zone_id: usw2-az2\nnetwork: {vpc_cidr: 10.0.0.0/16}\n"
    names = {
        design.hyperpod.cluster_name
        for text in (base, base.replace(old, new))
        if (design := check(text).design) and design.hyperpod
    }
    assert len(names) == 2


@pytest.mark.parametrize("name", [name for name in built_in_names() if not name.endswith("-cluster")])
def test_hyperpod_05_the_public_route_waits_for_its_gateway(name: str) -> None:
    template = json.loads((SNAPSHOTS / f"{name}.template.json").read_text(encoding="utf-8"))
    resources = template["Resources"]
    (attachment,) = [k for k, r in resources.items() if r["Type"] == "AWS::EC2::VPCGatewayAttachment"]
    public = [
        r for r in resources.values() if r["Type"] == "AWS::EC2::Route" and "GatewayId" in r["Properties"]
    ]
    assert public
    for route in public:
        waits = route.get("DependsOn", [])
        assert attachment in ([waits] if isinstance(waits, str) else waits)
