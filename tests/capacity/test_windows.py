"""Steps before the end of a reservation, and their description in the plan."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from config.cluster import Cluster
from config.design.money.costs import plan_cost
from config.design.report.groups import GroupReport
from config.design.report.plan import report

Check = Callable[..., Cluster]
BLOCK = "kind: capacity-block, reservation_id: cr-0a1b2c3d4e5f60718"
PLAN = (
    'kind: training-plan, arn: "arn:aws:sagemaker:us-west-2:123456789012:training-plan/mine", '
    "availability_zone_id: usw2-az2"
)
SYSTEM = "    - {name: tools, role: system, instance_type: m6i.4xlarge, count: 2}\n"
DATES = "start: 2027-01-04T11:30Z, end: 2027-01-18T11:30Z"


def group_of(
    check: Check, plane: str, capacity: str, machine: str = "", extends: str = "p6-b200"
) -> GroupReport:
    roles = {"hyperpod-slurm": "controller", "eks": "system"}
    role = roles.get(plane)
    head = f"    - {{name: head, role: {role}, instance_type: m6i.4xlarge, count: 1}}\n" if role else ""
    zones = "[use1-az4, use1-az6]" if extends == "p6e-gb200" else "[usw2-az1]"
    cluster = check(
        f"extends: {extends}\nname: mine\norchestrator: {{kind: {plane}}}\n"
        f"network: {{secondary_zones: {zones}}}\n"
        f"compute:\n  groups:\n{head}"
        f"    - {{name: train, role: compute, {machine or 'instance_type: p6-b200.48xlarge, count: 16'},"
        f" capacity: {{{capacity}}}}}\n"
    )
    assert cluster.design is not None, [d.message for d in cluster.diagnostics]
    return report(cluster.design).groups[-1]


@pytest.mark.parametrize(
    ("plane", "capacity", "steps"),
    [
        ("pcs", f"{BLOCK}, {DATES}", {"2027-01-18T11:00Z": "EC2 starts"}),
        ("eks", f"{BLOCK}, {DATES}", {"2027-01-18T10:50Z": "EKS scales", "2027-01-18T11:00Z": "EC2 starts"}),
        ("hyperpod-slurm", f"{PLAN}, {DATES}", {"2027-01-18T10:30Z": "HyperPod stops"}),
    ],
)
def test_the_last_steps_have_their_hours(
    plane: str, capacity: str, steps: dict[str, str], check: Check
) -> None:
    found = group_of(check, plane, capacity).reservation
    assert found is not None
    assert {step.at: " ".join(step.what.split()[:2]) for step in found.last_steps} == steps


def test_without_dates_the_minutes_before_the_end_are_reported(check: Check) -> None:
    found = group_of(check, "pcs", BLOCK).reservation
    assert found is not None
    assert (found.start, found.end) == (None, None)
    assert [(step.minutes_before_end, step.at) for step in found.last_steps] == [(30, None)]


def test_machines_that_nobody_takes_back_have_no_end(check: Check) -> None:
    assert group_of(check, "eks", "kind: on-demand").reservation is None
    assert group_of(check, "eks", "kind: odcr, match: open").reservation is None


ULTRASERVER = "instance_type: p6e-gb200.36xlarge, count: {count}"


@pytest.mark.parametrize(
    ("unit", "count", "spare", "domain"),
    [("u-p6e-gb200x36", 8, 1, 36), ("u-p6e-gb200x36", 9, 0, 36), ("u-p6e-gb200x72", 17, 1, 72)],
)
def test_an_ultraserver_is_one_nvlink_domain_with_its_spare(
    unit: str, count: int, spare: int, domain: int, check: Check
) -> None:
    machine = ULTRASERVER.format(count=count)
    group = group_of(check, "eks", f"{BLOCK}, ultraserver: {unit}, {DATES}", machine, "p6e-gb200")
    assert group.ultraservers is not None
    assert (group.ultraservers.count, group.ultraservers.spare_nodes) == (1, spare)
    assert group.ultraservers.nodes_each == count + spare
    assert group.nvlink_domain_gpus == domain
    assert (group.arch, group.threads_per_core) == ("arm64", 1)
    assert group.reservation is not None
    assert group.reservation.last_steps[0].at == "2027-01-18T10:30Z"  # an hour before, not half of one


def test_a_whole_ultraserver_is_paid_for(check: Check) -> None:
    text = (
        "extends: p6e-gb200\nname: mine\norchestrator: {kind: eks}\n"
        f"network: {{secondary_zones: [use1-az4, use1-az6]}}\ncompute:\n  groups:\n{SYSTEM}"
        f"    - {{name: train, role: compute, {ULTRASERVER.format(count=17)},"
        f" capacity: {{{BLOCK}, ultraserver: u-p6e-gb200x72}}}}\n"
    )
    planned = check(text).design
    assert planned is not None
    (line,) = [line for line in plan_cost(planned).lines if line.item.startswith("train")]
    assert (line.count, line.usd_per_hour) == (18, 761.904)


HELD = "kind: odcr, reservation_id: cr-0a1b2c3d4e5f60718, instances: 16"


@pytest.mark.parametrize(
    ("more", "nodes"),
    [("", {"train": 16}), (f"    - {{name: two, role: compute, instance_type: p6-b200.48xlarge, count: 3,"
                           f" capacity: {{{HELD}}}}}\n", {"train": 13, "two": 3})],
)  # fmt: skip
def test_what_a_reservation_holds_is_paid_for_and_a_shared_one_once(
    more: str, nodes: dict[str, int], check: Check
) -> None:
    planned = check(
        "extends: p6-b200\nname: mine\norchestrator: {kind: eks}\ncompute:\n  groups:\n"
        f"{SYSTEM}    - {{name: train, role: compute, instance_type: p6-b200.48xlarge, count: 2,"
        f" capacity: {{{HELD}}}}}\n{more}"
    ).design
    assert planned is not None
    found = {line.item.partition(":")[0]: line.count for line in plan_cost(planned).lines}
    assert {name: found[name] for name in nodes} == nodes
