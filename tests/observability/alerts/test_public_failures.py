"""Mistakes of published alerts: they never fired, fired permanently, or cleared too early."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from config.catalog.observability.metrics import metrics
from config.design.observability.alerts import catalogue
from config.design.observability.alerts.plan import plan_alerts
from config.design.observability.names import keys_of
from config.profile.observability.alerts import Alerts
from tests.observability.alerts.cases import Case
from tests.observability.alerts.promql import asked
from tests.observability.alerts.promtool import run_tests, write_tests
from tests.observability.clusters import CLUSTERS

CLUSTER = CLUSTERS["pcs on p6-b200"]
PLAN = plan_alerts(CLUSTER, Alerts())


def fires(tmp_path: Path, *cases: Case) -> None:
    run = run_tests(write_tests(tmp_path, PLAN, cases, CLUSTER))
    assert run.returncode == 0, run.stdout + run.stderr


def test_obs_01_no_rule_asks_for_the_gauge_that_keeps_the_last_xid() -> None:
    for measured in CLUSTERS.values():
        series = {
            one.name for rule in plan_alerts(measured, Alerts()).alerts for one in asked(rule.expression)
        }
        assert "DCGM_FI_DEV_XID_ERRORS" not in series
        assert "DCGM_EXP_XID_ERRORS_COUNT" in series


def test_obs_01_the_same_xid_is_seen_a_second_time(tmp_path: Path) -> None:
    seen = '<xid_count>{N, gpu="3", xid="119"}'
    first = {"gpu": "3", "xid": "119"}
    said = "n1: XID 119 of GPU 3"
    fires(
        tmp_path,
        *(
            Case(
                alert="GpuXidReset",
                metric="xid_count",
                series={seen: "_x5 1x5 stale _x120 1x5 stale"},
                fires=minute,
                quiet=quiet,
                labels=first,
                summary=said,
            )
            for minute, quiet in ((7, 100), (135, 250))
        ),
    )


def test_obs_02_an_xid_of_the_log_alone_alerts_and_one_that_dcgm_has_too_does_so_once(tmp_path: Path) -> None:
    log = '<kernel_xid>{N, pci="0000:0f:00", xid="119"}'
    counted = '<xid_count>{N, gpu="3", xid="119"}'
    asked = {'<up>{N, job="node"}': "1x305", '<node_boot_time>{N, job="node"}': "60x305"}
    both = {log: "_x5 1x300", counted: "_x5 1x5 stale", **asked}
    alone = {"pci": "0000:0f:00", "xid": "119"}
    said = "n1: XID 119 of GPU "
    fires(
        tmp_path,
        Case(
            alert="GpuXidReset",
            metric="kernel_xid",
            series={log: both[log], **asked},
            fires=7,
            quiet=100,
            labels=alone,
            summary=said + "0000:0f:00",
        ),
        Case(
            alert="GpuXidReset",
            metric="xid_count",
            series=both,
            fires=7,
            quiet=100,
            labels={"gpu": "3", "xid": "119"},
            summary=said + "3",
        ),
    )


@pytest.mark.parametrize("name", CLUSTERS)
def test_obs_16_no_rule_asks_for_an_efa_counter_that_is_declared_and_never_filled(name: str) -> None:
    never = {
        "alloc_pd_err", "alloc_ucontext_err", "cmds_err", "completed_cmds", "create_ah_err", "create_cq_err",
        "create_qp_err", "keep_alive_rcvd", "mmap_err", "no_completion_cmds", "reg_mr_err", "submitted_cmds",
    }  # fmt: skip
    series = {
        one.name for rule in plan_alerts(CLUSTERS[name], Alerts()).alerts for one in asked(rule.expression)
    }
    assert not {f"node_amazonefa_{counter}" for counter in never} & series


@pytest.mark.parametrize(
    ("missing", "says"),
    [
        ({'<gpu_temperature>{N, gpu="0"}': "60x10 stale _x15 60x60"}, "n1: missing GPUs: 1"),
        ({}, "n1: missing GPUs: 8"),
    ],
    ids=["one", "all"],
)
def test_obs_23_a_gpu_whose_series_end_alerts_and_so_do_all_eight(
    missing: dict[str, str], says: str, tmp_path: Path
) -> None:
    others = '<gpu_temperature>{N, gpu="$gpu"}'
    rest = (
        {others: "60x80"}
        if missing
        else {others: "60x10 stale _x15 60x60", '<gpu_temperature>{N, gpu="0"}': "60x10 stale _x15 60x60"}
    )
    fires(
        tmp_path,
        Case(
            alert="GpuMissing",
            series={'<up>{N, job="node"}': "1x80", **missing, **rest},
            fires=20,
            quiet=40,
            summary=says,
        ),
    )


def test_no_rule_compares_a_counter_as_it_is() -> None:
    # a lifetime counter above a threshold fires permanently
    counters = {row.key for row in metrics().rows if row.type == "counter"}
    # the counter alone, or aggregated over labels of jobs
    function = re.compile(r"(increase|rate)\((max by \([a-z_, ]+\) \()?$")
    for alert in catalogue():
        for expression in alert.expressions:
            for key in set(keys_of(expression.text)) & counters - {"kernel_xid", "kernel_sxid"}:
                before = expression.text.split(f"<{key}>")[:-1]
                assert all(function.search(text) for text in before), (alert.name, key)


@pytest.mark.parametrize("key", ["row_remap_failure", "row_remap_pending", "node_disk_read_only", "up"])
def test_a_gauge_of_0_and_1_has_no_threshold_that_it_never_reaches(key: str) -> None:
    for alert in catalogue():
        for expression in alert.expressions:
            compared = rf"<{key}>(\{{[^}}]*\}})?\)* [<>]=? \$threshold"
            assert not re.search(compared, expression.text), alert.name


def test_every_field_that_a_rule_asks_for_is_one_that_collection_turns_on() -> None:
    # counters files are generated from the same table, so that no field is off by default
    rows = {row.key for row in metrics().rows}
    for alert in catalogue():
        for expression in alert.expressions:
            assert set(keys_of(expression.text)) <= rows, alert.name
