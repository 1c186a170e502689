"""Instance types, deep health checks and prices."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from config.cluster import Cluster, load_cluster
from config.design.model import Design
from config.design.money.costs import plan_cost
from config.profile.source.reference import built_in_names

Check = Callable[..., Cluster]


def designed(cluster: Cluster) -> Design:
    assert cluster.design is not None, cluster.diagnostics
    return cluster.design


_GROUPS = (
    "compute:\n  groups:\n"
    "    - {name: controller, role: controller, instance_type: m5.4xlarge, count: 1}\n"
    "    - {name: train, role: compute, instance_type: p6-b200.48xlarge, count: %d}\n"
)


@pytest.mark.parametrize(
    ("name", "gpus", "domain"),
    [("p5-dev", 1, 1), ("p6-b200", 128, 8), ("p6e-gb200", 68, 72)],
)
def test_gpus_and_nvlink_domains(name: str, gpus: int, domain: int) -> None:
    (group,) = [group for group in designed(load_cluster(name)).groups if group.name == "train"]
    assert (group.gpus, group.nvlink_domain_gpus) == (gpus, domain)


@pytest.mark.parametrize(
    ("instance_type", "count", "checks"),
    [
        ("p6-b200.48xlarge", 16, ("instance-connectivity", "instance-stress")),
        ("p6-b200.48xlarge", 1, ("instance-stress",)),
        ("g6.xlarge", 4, ("instance-stress",)),
        ("m5.4xlarge", 4, ()),
    ],
)
def test_deep_health_checks_are_all_that_a_group_can_run(
    instance_type: str, count: int, checks: tuple[str, ...], check: Check
) -> None:
    text = "extends: p6-b200\nname: mine\nstorage: {local_nvme: null}\n" + _GROUPS % count
    design = designed(check(text.replace("p6-b200.48xlarge", instance_type)))
    assert design.groups[1].deep_health_checks == checks


@pytest.mark.parametrize("name", built_in_names())
def test_what_has_no_price_is_named_and_never_zero(name: str) -> None:
    cost = plan_cost(designed(load_cluster(name)))
    for line in cost.lines:
        assert (line.usd_per_hour is None) == (line.item in (*cost.unpriced, *cost.by_use))
        assert (line.usd_per_unit is None) == (line.item in cost.unpriced)
        assert line.note
        if line.usd_per_hour is not None:
            assert line.usd_per_hour > 0
        if line.usd_per_unit is not None:
            assert line.as_of
            assert line.as_of >= date(2024, 7, 1)
            assert line.source
    assert cost.usd_per_hour == pytest.approx(sum(line.usd_per_hour or 0 for line in cost.lines))


def test_the_machines_of_p6_b200_have_their_listed_price() -> None:
    cost = plan_cost(designed(load_cluster("p6-b200")))
    machines = [line.usd_per_hour or 0 for line in cost.lines if line.capacity is not None]
    # us-east-1 on demand: 113.9328 for p6-b200.48xlarge, 0.768 for m5.4xlarge
    assert sum(machines) == pytest.approx(16 * 113.9328 + 2 * 0.768)
    assert all(
        "price in us-east-1, because the catalogue has no price for us-west-2" in line.note
        for line in cost.lines[:3]
    )


def test_a_training_plan_is_paid_elsewhere_and_has_no_price_here() -> None:
    cost = plan_cost(designed(load_cluster("p6e-gb200")))
    assert "train: p6e-gb200.36xlarge" in cost.unpriced


def test_many_groups_are_summed_up_in_one_short_line(check: Callable[..., Cluster]) -> None:
    types = [f"m5.{size}" for size in ("large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge")]
    groups = ["    - {name: controller, role: controller, instance_type: m5.4xlarge, count: 1}"]
    for i in range(60):
        kind = types[i % 6]
        groups.append(f"    - {{name: g{i}, role: compute, instance_type: {kind}, count: {1 + i % 6}}}")
    text = "extends: p6-b200\nname: mine\nstorage: {local_nvme: null}\ncompute:\n  groups:\n"
    summary = designed(check(text + "\n".join(groups) + "\n")).summary
    assert summary.startswith("60 x m5.12xlarge, 50 x m5.8xlarge")
    assert summary.endswith("2 more instance types")
    assert len(summary) < 200
