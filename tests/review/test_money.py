"""What a change costs, and what it asks of quotas; without a listed price nothing is counted as zero."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from config.cluster import load_cluster
from config.design.report.costs import CostReport
from config.design.report.plan import PlanReport, report
from config.design.report.quotas import QuotaReport
from config.diagnostics import Diagnostic, Severity
from scripts.cli.output import write_table
from scripts.cli.review.differences.money import QuotaChange, cost_changes, quota_changes
from scripts.cli.review.differences.tables import COST_HEADINGS, cost_notes, cost_rows, quota_rows
from scripts.cli.review.inputs.side import StackTemplate
from scripts.cli.review.report import review_stacks
from tests.review.support import ONE, template, write


@pytest.fixture(scope="module")
def plan() -> PlanReport:
    cluster = load_cluster("p5-dev")
    assert cluster.design is not None
    return report(cluster.design)


def cost(item: str, count: int, hourly: float | None, note: str = "") -> CostReport:
    return CostReport(
        item=item, count=count, usd_per_hour=hourly, as_of=None, source="s", note=note, service="EC2",
        capacity=None, unit=None, quantity=None, usd_per_unit=None, region=None, estimated=False,
        usd_per_month=None if hourly is None else round(730 * hourly, 2), paid_in_advance=False,
    )  # fmt: skip


def priced(plan: PlanReport, *costs: CostReport) -> PlanReport:
    return replace(
        plan, costs=costs, usd_per_hour_listed=sum(c.usd_per_hour or 0 for c in costs),
        usd_per_month_listed=sum(c.usd_per_month or 0 for c in costs), billed_by_use=(),
        without_listed_price=tuple(c.item for c in costs if c.usd_per_hour is None),
    )  # fmt: skip


def test_items_that_differ_are_reported_with_hour_and_month(plan: PlanReport) -> None:
    old = priced(plan, cost("train", 1, 10.0), cost("login", 1, 0.5))
    new = priced(plan, cost("train", 4, 40.0), cost("login", 1, 0.5), cost("NAT", 2, 0.09))
    costs = cost_changes(old, new)
    assert costs is not None
    assert [change.item for change in costs.changes] == ["train", "NAT"]
    assert cost_rows(costs) == [
        ("train", "1 to 4", "10.00", "40.00", "+30.00", "+21,900"),
        ("NAT", "- to 2", "-", "0.0900", "+0.0900", "+66"),
        ("total of listed prices", "", "10.50", "40.59", "+30.09", "+21,966"),
    ]
    assert cost_rows(costs, months=True)[0] == (
        "train",
        "1 to 4",
        "10.00",
        "40.00",
        "7,300",
        "29,200",
        "+21,900",
    )


def test_what_has_no_listed_price_is_never_zero(plan: PlanReport) -> None:
    old = priced(plan, cost("train", 1, None), cost("login", 1, 1.0))
    new = priced(plan, cost("train", 2, None), cost("login", 1, None))
    costs = cost_changes(old, new)
    assert costs is not None
    assert [change.usd_per_hour for change in costs.changes] == [None, None]
    rows = cost_rows(costs)
    assert rows[0] == ("login", "1", "1.00", "no listed price", "unknown", "unknown")
    assert rows[1][:4] == ("train", "1 to 2", "no listed price", "no listed price")
    assert cost_notes(costs) == ["not in the total (no listed price, or billed by use): train, login"]


def test_items_of_one_name_are_summed_and_equal_notes_reported_once(plan: PlanReport) -> None:
    old = priced(plan, cost("a", 1, 1.0), cost("a", 1, 1.0))
    new = priced(plan, cost("a", 3, 3.0, "listed elsewhere"), cost("b", 1, 1.0, "listed elsewhere"))
    costs = cost_changes(old, new)
    assert costs is not None
    assert [(c.item, c.before and c.before.count) for c in costs.changes] == [("a", 2), ("b", None)]
    assert cost_notes(costs) == ["listed elsewhere (a, b)"]


def test_what_is_paid_in_advance_or_by_use_is_reported_as_that(plan: PlanReport) -> None:
    samples = cost("samples", 1, None)
    block = replace(cost("train", 16, 100.0), usd_per_month=None, paid_in_advance=True)
    old = replace(priced(plan, samples, block), without_listed_price=(), billed_by_use=("samples",))
    more = replace(block, count=32, usd_per_hour=200.0)
    new = replace(
        priced(plan, replace(samples, count=2), more), without_listed_price=(), billed_by_use=("samples",)
    )
    costs = cost_changes(old, new)
    assert costs is not None
    assert cost_rows(costs) == [
        ("train", "16 to 32", "100.00", "200.00", "+100.00", "paid in advance"),
        ("samples", "1 to 2", "billed by use", "billed by use", "unknown", "unknown"),
        ("total of listed prices", "", "100.00", "200.00", "+100.00", "+0"),
    ]
    assert cost_rows(costs, months=True)[0][4:] == ("paid in advance",) * 3
    assert cost_notes(costs) == ["not in the total (no listed price, or billed by use): samples"]


def test_the_same_price_and_no_plan_are_no_difference(plan: PlanReport) -> None:
    assert cost_changes(plan, plan) is None
    assert cost_changes(None, None) is None


def test_prices_fit_a_terminal(plan: PlanReport, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    costs = cost_changes(priced(plan, cost("train: p6-b200.48xlarge", 16, 1500.0)), priced(plan))
    assert costs is not None
    write_table(COST_HEADINGS, cost_rows(costs))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "-1,095,000" in lines[2]


def need(service: str, name: str, needed: float, default: float | None, unit: str = "vCPUs") -> QuotaReport:
    return QuotaReport(
        service=service, name=name, needed=needed, default=default, code="L-1", unit=unit,
        above_default=None if default is None else needed > default, per="account and Region",
        because="the nodes", source="https://docs.aws.amazon.com/",
    )  # fmt: skip


def changed(
    plan: PlanReport, old: tuple[QuotaReport, ...], new: tuple[QuotaReport, ...]
) -> tuple[QuotaChange, ...]:
    return quota_changes(replace(plan, quotas=old), replace(plan, quotas=new))


def test_quotas_that_must_be_raised_come_first(plan: PlanReport) -> None:
    old = (
        need("ec2", "P", 96, 0),
        need("vpc", "N", 1, 5),
    )
    new = (
        need("ec2", "P", 192, 0),
        need("vpc", "N", 2, 5),
        need("fsx", "L", 9, None),
    )
    found = changed(plan, old, new)
    assert [(q.name, q.before, q.after, q.must_be_raised) for q in found] == [
        ("P", 96, 192, True), ("L", None, 9, False), ("N", 1, 2, False)
    ]  # fmt: skip
    assert quota_rows(found)[0] == (
        "P (L-1)", "ec2", "96 vCPUs", "192 vCPUs: request an increase", "0 vCPUs", "account and Region"
    )  # fmt: skip
    assert quota_rows(found)[1][4] == "unknown"
    million = (need("aps", "S", 50_000_000.5, 5e7, unit="series"),)
    assert quota_rows(changed(plan, (), million))[0][2:5] == (
        "-", "50,000,000.50 series: request an increase", "50,000,000 series"
    )  # fmt: skip
    assert changed(plan, new, new) == ()


def test_a_quota_of_which_less_is_needed_need_not_be_raised(plan: PlanReport) -> None:
    more, less = (need("ec2", "P", n, 0) for n in (192, 96))
    (found,) = changed(plan, (more,), (less,))
    assert (found.before, found.after, found.must_be_raised) == (192, 96, False)


def test_a_plan_without_quotas_tells_none(plan: PlanReport) -> None:
    assert quota_changes(None, None) == ()
    assert quota_changes(plan, plan) == ()


def side(plan: PlanReport | None, *found: Diagnostic) -> StackTemplate:
    return StackTemplate(
        template=template(ONE["Resources"]), name="s", found=found if plan else None, plan=plan
    )


def test_price_is_configured_only_where_both_sides_are_profiles(plan: PlanReport) -> None:
    old, new = side(priced(plan, cost("train", 1, 1.0))), side(priced(plan, cost("train", 2, 2.0)))
    review = review_stacks(old, new)
    assert review.status == "changed"
    assert review.costs is not None
    assert review_stacks(old, side(None)).costs is None
    assert review_stacks(side(None), new).costs is None
    added = review_stacks(None, new).costs
    assert added is not None
    assert (added.before_usd_per_hour, added.after_usd_per_hour) == (0, 2.0)
    # what stays deployed goes on to cost: nothing is saved by taking its profile away
    assert review_stacks(old, None).costs is None


def test_new_and_removed_findings_are_reported_whatever_their_line(plan: PlanReport) -> None:
    def finding(code: str, line: int) -> Diagnostic:
        return Diagnostic(
            code=code, severity=Severity.WARNING, path="a", message="m", hint="h", source="s", line=line
        )

    review = review_stacks(
        side(plan, finding("AAA001", 1), finding("AAA002", 2)),
        side(plan, finding("AAA002", 9), finding("AAA003", 3)),
    )
    assert [found.code for found in review.diagnostics] == ["AAA003"]
    assert [found.code for found in review.gone] == ["AAA001"]


@pytest.mark.long
@pytest.mark.synth
def test_two_profiles_of_different_size_differ_in_price(tmp_path: Path, plan: PlanReport) -> None:
    from scripts.cli.review.inputs.load import Options, load_sides
    from scripts.cli.review.report import review_sides

    groups = (
        "compute: {groups: [{name: controller, role: controller, instance_type: m5.xlarge, count: 1},"
        " {name: login, role: login, instance_type: m5.xlarge, count: 1},"
        " {name: train, role: compute, instance_type: p5.4xlarge, count: 2}]}\n"
    )
    write(tmp_path, {"a.yaml": "extends: p5-dev\nname: a\n", "b.yaml": f"extends: p5-dev\nname: a\n{groups}"})
    (review,) = review_sides(*load_sides("a.yaml", "b.yaml", Options(folder=tmp_path))).stacks
    assert review.costs is not None
    change, *others = review.costs.changes
    assert {other.item for other in others} == {"Prometheus: samples", "HyperPod node volumes"}
    assert change.before is not None
    assert change.after is not None
    assert (change.item, change.before.count, change.after.count) == ("train: p5.4xlarge", 1, 2)
    assert change.usd_per_hour == pytest.approx(change.before.usd_per_hour)


@pytest.mark.parametrize(
    ("unit", "reported"),
    [
        ("workspaces", "1 workspace"),
        ("addresses", "1 address"),
        ("VPCs", "1 VPC"),
        ("series", "1 series"),
        ("MB/s", "1 MB/s"),
        ("", "1"),
    ],
)
def test_one_of_something_is_in_the_singular(plan: PlanReport, unit: str, reported: str) -> None:
    one = replace(plan.quotas[0], needed=1, unit=unit)
    assert quota_rows(changed(plan, (), (one,)))[0][3].startswith(reported)
