"""What a cluster costs: items, prices, sums, and what is in no sum."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.catalog import catalog
from config.catalog.money.service_prices import PriceTier, ServicePrice, service_price, service_prices
from config.cluster import Cluster, load_cluster
from config.design.model import Design
from config.design.money.budget import month_of
from config.design.money.costs import plan_cost
from config.design.money.machines import HOURS_A_MONTH, Cost, CostLine
from config.design.report.plan import report
from config.profile.orchestrator import ORCHESTRATORS
from config.profile.source.reference import built_in_names
from tests.tables import each_row

Check = Callable[..., Cluster]

ALL = [(name, None) for name in built_in_names()] + [
    (name, kind) for name in ("p5", "p5en", "p6-b200", "p6-b300") for kind in ORCHESTRATORS
]
every_cluster = pytest.mark.parametrize(("name", "orchestrator"), ALL)


def design_of(name: str, orchestrator: str | None = None) -> Design:
    design = load_cluster(name, orchestrator=orchestrator).design
    assert design is not None
    return design


def lines_of(cluster: Cluster) -> dict[str, CostLine]:
    assert cluster.design is not None, cluster.diagnostics
    return {line.item: line for line in plan_cost(cluster.design).lines}


@each_row(
    "price",
    [one for listed in service_prices().values() for one in listed],
    lambda one: f"{one.key}-{one.region}",
)
def test_every_price_has_a_source_a_date_and_a_plausible_figure(price: ServicePrice) -> None:
    assert price.source in catalog().sources
    assert date(2024, 7, 1) <= price.as_of <= date(2026, 11, 29)
    # a user of Grafana is the dearest unit; below a hundredth of a cent a unit would be too small to read
    assert 0.0001 <= price.usd <= 10
    assert price.unit
    assert price.region in catalog().regions


@given(
    st.lists(st.floats(1, 1e6), min_size=0, max_size=3, unique=True).map(sorted),
    st.lists(st.floats(0.001, 10), min_size=4, max_size=4),
    st.floats(0, 1e7),
    st.floats(0, 1e7),
)
def test_a_price_in_tiers_grows_with_the_units_and_never_jumps(
    borders: list[float], usd: list[float], some: float, more: float
) -> None:
    starts = [0.0, *borders]
    tiers = tuple(PriceTier(from_units=at, usd=each) for at, each in zip(starts, usd, strict=False))
    price = ServicePrice(
        key="a", what="a", unit="GB", billed="month", tiers=tiers, region="us-east-1",
        as_of=date(2026, 1, 1), source="DERIVED", note="",
    )  # fmt: skip
    low, high = sorted((some, more))
    assert price.cost(0) == 0
    assert 0 <= price.cost(low) <= price.cost(high) + 1e-6
    dearest, cheapest = max(tier.usd for tier in tiers), min(tier.usd for tier in tiers)
    assert (
        (high - low) * cheapest - 1e-3 <= price.cost(high) - price.cost(low) <= (high - low) * dearest + 1e-3
    )


def test_samples_are_billed_through_the_tiers_that_aws_lists() -> None:
    price = service_price("amp.samples", "us-west-2")
    assert price is not None
    # a published example: 525.6 billion samples a month are 180 + 8,750 + 4,377.60 USD
    assert price.cost(525_600) == pytest.approx(13_307.60)


line = st.builds(
    CostLine,
    item=st.text(min_size=1, max_size=5),
    count=st.integers(0, 100),
    usd_per_hour=st.none() | st.floats(0.0001, 1e5),
    as_of=st.just(date(2026, 1, 1)),
    source=st.just(""),
    note=st.just(""),
    capacity=st.sampled_from([None, "on-demand", "capacity-block", "training-plan"]),
    usd_per_unit=st.none() | st.floats(0.0001, 10),
)


@given(st.lists(line, max_size=8))
def test_the_sum_is_that_of_the_items_with_one_and_nothing_unlisted_enters_it(lines: list[CostLine]) -> None:
    cost = Cost(lines=tuple(lines))
    listed = [one for one in lines if one.usd_per_hour is not None]
    assert cost.usd_per_hour == pytest.approx(sum(one.usd_per_hour or 0 for one in listed))
    assert len(listed) + len(cost.unpriced) + len(cost.by_use) == len(lines)
    monthly = sum(one.usd_per_hour or 0 for one in listed if not one.paid_in_advance) * 730
    assert cost.usd_per_month == pytest.approx(monthly)
    assert all(
        (one.usd_per_month is None) == (one.usd_per_hour is None or one.paid_in_advance) for one in lines
    )


def test_a_month_is_730_hours() -> None:
    assert HOURS_A_MONTH == 730
    assert all(
        one.usd_per_month == round(one.usd_per_hour * 730, 2)
        for one in report(design_of("p6-b200")).costs
        if one.usd_per_hour is not None and one.usd_per_month is not None
    )


@every_cluster
def test_the_items_of_a_plan_add_up_to_its_sums(name: str, orchestrator: str | None) -> None:
    cluster = load_cluster(name, orchestrator=orchestrator)
    if cluster.design is None:
        pytest.skip(f"{name} has no {orchestrator}")
    plan = report(cluster.design)
    hourly = [one.usd_per_hour for one in plan.costs if one.usd_per_hour is not None]
    assert plan.usd_per_hour_listed == pytest.approx(sum(hourly), abs=1e-3)
    monthly = [one.usd_per_month for one in plan.costs if one.usd_per_month is not None]
    assert plan.usd_per_month_listed == pytest.approx(sum(monthly), abs=0.01 * len(monthly) + 0.01)
    items = [one.item for one in plan.costs]
    assert len(set(items)) == len(items)
    for one in plan.costs:
        named = [one.item in names for names in (plan.without_listed_price, plan.billed_by_use)]
        assert sum(named) == (one.usd_per_hour is None)
        if one.usd_per_unit is not None:
            assert one.source
            assert one.as_of
            assert one.region == cluster.design.profile.region or "price in us-east-1" in one.note


def test_lustre_is_billed_by_its_kind_tier_and_what_it_has_above_its_metadata(check: Check) -> None:
    lines = lines_of(
        check(
            "extends: p6-b200\nname: mine\nstorage:\n  lustre: {throughput_mbps_per_tib: 250, efa: true,"
            " capacity_gib: 38400, metadata_iops: 24000}\n"
        )
    )
    storage, metadata = lines["FSx for Lustre: storage"], lines["FSx for Lustre: metadata IOPS"]
    # us-west-2 has a price of its own for this tier
    assert (storage.usd_per_unit, storage.quantity, storage.region) == (0.21, 38400, "us-west-2")
    assert storage.usd_per_month == pytest.approx(0.21 * 38400, abs=0.01)
    # 12,000 come with 38,400 GiB
    assert metadata.quantity == 12000
    assert metadata.usd_per_month == pytest.approx(660, abs=0.01)


def test_metadata_that_comes_with_the_capacity_is_no_item() -> None:
    assert "FSx for Lustre: metadata IOPS" not in {one.item for one in plan_cost(design_of("p6-b200")).lines}


def test_backups_of_lustre_and_volumes_of_hyperpod_have_no_listed_price(check: Check) -> None:
    cluster = check("extends: p6-b200\nname: mine\nstorage: {lustre: {backups: {}, data_repositories: []}}\n")
    assert cluster.design is not None, cluster.diagnostics
    assert {"FSx for Lustre: backups", "HyperPod node volumes"} <= set(plan_cost(cluster.design).unpriced)


def test_home_directories_are_billed_by_storage_and_throughput(check: Check) -> None:
    home = "extends: p6-b200\nname: mine\nstorage: {home: {kind: new, users: 100%s}}\n"
    lines = lines_of(check(home % ""))
    assert lines["FSx for OpenZFS: storage"].usd_per_month == pytest.approx(0.09 * 12500, abs=0.01)
    assert lines["FSx for OpenZFS: throughput"].usd_per_unit == 0.26
    assert lines["FSx for OpenZFS: backups"].by_use
    pair = check(home % ", deployment: single-az-ha-2")
    assert pair.design is not None
    # no two sources agree on those with a second server
    assert "FSx for OpenZFS: storage" in plan_cost(pair.design).unpriced


def test_endpoints_are_billed_in_each_zone_and_a_closed_network_has_no_gateway(check: Check) -> None:
    lines = lines_of(check("extends: p6-b200\nname: mine\nnetwork: {closed: true}\nobservability: null\n"))
    assert "NAT gateway" not in lines
    endpoints = lines["interface endpoints"]
    assert endpoints.quantity == endpoints.count > 5
    assert endpoints.usd_per_hour == pytest.approx(0.01 * endpoints.count)


def test_hyperpods_own_price_is_taken_where_it_is_listed_and_ec2s_is_advised_to_be_another() -> None:
    own = {one.item: one for one in plan_cost(design_of("p5", "hyperpod-slurm")).lines}
    train = next(one for item, one in own.items() if item.startswith("train"))
    assert train.usd_per_unit == 66.048
    assert train.service == "Amazon SageMaker"
    login = next(one for item, one in own.items() if item.startswith("controller"))
    assert "AWS publishes no SageMaker price" in login.note
    assert "18 to 25 % above the EC2 price" in login.note
    ec2 = {one.item: one for one in plan_cost(design_of("p5", "eks")).lines}
    assert next(one for item, one in ec2.items() if item.startswith("train")).usd_per_unit == 55.04


def test_the_control_planes_prices_are_listed_or_named() -> None:
    lines = {one.item: one for one in plan_cost(design_of("p6-b200", "eks")).lines}
    assert lines["EKS control plane"].usd_per_month == 73
    assert lines["root volumes: train"].quantity == 16 * 300
    pcs = plan_cost(design_of("p6-b200", "pcs"))
    assert {"PCS node management", "PCS controller of size small"} <= set(pcs.unpriced)


def test_what_belongs_to_a_data_profile_is_billed_there_and_not_twice() -> None:
    data = {one.item for one in plan_cost(design_of("p6-b200-data")).lines}
    cluster = {one.item for one in plan_cost(design_of("p6-b200-cluster")).lines}
    assert {"FSx for Lustre: storage", "NAT gateway", "S3 buckets"} <= data
    assert not data & cluster - {"KMS keys", "CloudWatch logs"}


def test_a_block_is_paid_in_advance_and_in_no_month(check: Check) -> None:
    cluster = check(
        "extends: p6-b200\nname: mine\norchestrator: {kind: eks}\ncompute:\n  groups:\n"
        "    - {name: system, role: system, instance_type: m5.4xlarge, count: 2}\n"
        "    - name: train\n      role: compute\n      instance_type: p6-b200.48xlarge\n      count: 16\n"
        "      capacity: {kind: capacity-block, reservation_id: cr-0a1b2c3d4e5f60718,"
        " availability_zone_id: usw2-az2}\n"
        "budget: {monthly_usd: 20000, alerts: [{percent: 80, emails: [ml@example.com]}]}\n"
    )
    assert cluster.design is not None, cluster.diagnostics
    cost, month = plan_cost(cluster.design), month_of(cluster.design)
    train = lines_of(cluster)["train: p6-b200.48xlarge"]
    assert train.usd_per_hour == pytest.approx(16 * 98.84)
    assert train.usd_per_month is None
    assert "the price page announced a change" in train.note
    assert cost.usd_per_month < cost.usd_per_hour * 730 - 16 * 98.84 * 700
    assert month.usd == pytest.approx(cost.usd_per_month)
    assert month.paid_in_advance == ("train",)
    reported = [found.message for found in cluster.diagnostics if found.code == "BUD004"]
    assert any("usage-based items" in text and "S3 buckets" in text for text in reported)


RESERVED = """\
extends: p5en
name: mine
orchestrator: {kind: eks, kubernetes_version: "1.35"}
compute:
  groups:
    - {name: system, role: system, instance_type: m5.4xlarge, count: 2}
"""


@pytest.mark.parametrize(
    ("capacity", "groups", "billed"),
    [
        ("kind: odcr, reservation_id: cr-0a1b2c3d4e5f60718, instances: 64", 1, [64]),
        ("kind: odcr, reservation_id: cr-0a1b2c3d4e5f60718, instances: 64", 2, [48, 16]),
        ("kind: odcr, match: open, instances: 64", 1, [64]),
        ("kind: odcr, match: open, instances: 64", 2, [48, 16]),
        ("kind: odcr, match: open, instances: 8", 1, [16]),
        ("kind: on-demand", 2, [16, 16]),
    ],
)
def test_all_that_a_reservation_holds_is_billed_once(
    check: Check, capacity: str, groups: int, billed: list[int]
) -> None:
    text = RESERVED + "".join(
        f"    - {{name: train{number}, role: compute, instance_type: p5en.48xlarge, count: 16, "
        f"capacity: {{{capacity}}}}}\n"
        for number in range(groups)
    )
    lines = lines_of(check(text))
    assert [line.count for item, line in lines.items() if item.startswith("train")] == billed
    assert lines["system: m5.4xlarge"].count == 2
    assert all(
        line.usd_per_hour == pytest.approx(line.count * (line.usd_per_unit or 0))
        for item, line in lines.items()
        if item.startswith("train")
    )


def test_nodes_that_come_as_jobs_ask_are_priced_as_a_most(check: Check) -> None:
    train = "    - {name: train, role: compute, instance_type: p5en.48xlarge, count: 8%s}\n"
    login = "    - {name: login, role: login, instance_type: m5.4xlarge, count: 1}\n"
    pcs = "extends: p5en\nname: mine\norchestrator: {kind: pcs}\ncompute:\n  groups:\n" + login

    def line(text: str) -> CostLine:
        return lines_of(check(text))["train: p5en.48xlarge"]

    always, asked = line(pcs + train % ""), line(pcs + train % ", scaling: dynamic")
    assert asked.usd_per_hour == always.usd_per_hour
    assert "the price if all nodes" in asked.note
    assert "the price if all nodes" not in always.note
    # a reservation is billed whether jobs ask or not
    held = "capacity: {kind: odcr, reservation_id: cr-0a1b2c3d4e5f60718}"
    assert "the price if all nodes" not in line(pcs + train % f", scaling: dynamic, {held}").note


@pytest.mark.parametrize("nodes", ["static", "as-needed"])
def test_nodes_of_karpenter_have_root_volumes_too(check: Check, nodes: str) -> None:
    text = RESERVED.replace(
        'kubernetes_version: "1.35"', f"karpenter: {{groups: [{{name: train, nodes: {nodes}}}]}}"
    )
    text += (
        "    - {name: train, role: compute, instance_type: p5en.48xlarge, count: 8, root_volume_gib: 500}\n"
    )
    lines = lines_of(check(text))
    assert lines["root volumes: train"].quantity == 8 * 500
    assert lines["root volumes: system"].quantity == 2 * 300
    assert ("the price if all nodes" in lines["train: p5en.48xlarge"].note) == (nodes == "as-needed")


def test_a_group_that_hyperpod_scales_from_none_is_not_counted_as_zero(check: Check) -> None:
    groups = RESERVED.partition("compute:")[2]
    text = (
        "extends: p5en\nname: mine\norchestrator: {kind: hyperpod-eks, provisioning: continuous, "
        "autoscaling: {groups: [train]}}\n"
        f"compute:{groups}    - {{name: train, role: compute, instance_type: p5en.48xlarge, count: 0}}\n"
    )
    line = lines_of(check(text))["train: p5en.48xlarge"]
    assert line.usd_per_hour is None
    assert line.by_use
    assert line.usd_per_unit


def test_a_training_plan_of_hyperpod_is_billed_by_sagemaker() -> None:
    lines = {line.item: line for line in plan_cost(design_of("p6-b200-cluster")).lines}
    assert lines["train: p6-b200.48xlarge"].service == "Amazon SageMaker"
