"""Dashboard of GPU costs and idle GPUs."""

from __future__ import annotations

from config.design.observability.dashboards.parts import Board, Panel, Row, lines, panel, row, stat, table
from config.design.observability.dashboards.promql import (
    AT,
    CLUSTER,
    IN,
    NODES,
    job_label,
    job_labels,
    missing_devices,
    prices,
    rate,
)
from config.design.observability.model import Measured

IDLE_BELOW = 5
"""Utilization in percent below which a GPU counts as idle."""


def board(measured: Measured) -> Board:
    """Return the dashboard, which always shows GPU hours, and USD if the price of a GPU is known."""
    return Board(
        board="cost",
        title="Cost",
        description="Cost of the GPUs by node and job, and the cost of idle GPUs.",
        variables=(CLUSTER, NODES),
        rows=(_text(measured), _now(measured), _idle(measured), _jobs(measured)),
        refresh="5m",
        since="now-24h",
    )


def _count(by: str, matchers: str, condition: str = "") -> str:
    """Return an expression for the number of GPUs by labels and instance type, with the placeholder TYPE."""
    labels = ", ".join(dict.fromkeys(["cluster", "node", "gpu", "instance_type", *by.split(", ")]))
    kept = ", ".join(dict.fromkeys(["instance_type", *by.split(", ")]))
    used = f"<gpu_utilization>{{{AT},TYPE{matchers}}}"
    inner = f"(avg_over_time({used}[15m])) {condition}" if condition else f"({used})"
    return f"count by ({kept}) (max by ({labels}) {inner})"


def _dollars(measured: Measured, by: str, matchers: str = "", condition: str = "") -> str:
    return prices(measured, _count(by, matchers, condition))


def _summed(aggregation: str, dollars: str) -> str:
    return f"{aggregation} ({dollars})" if dollars else ""


def _text(measured: Measured) -> Row:
    known = sorted(
        f"{nodes.instance_type}: {nodes.dollars_per_gpu_hour:.2f} USD"
        for nodes in measured.gpu_nodes
        if nodes.dollars_per_gpu_hour is not None
    )
    listed = "; ".join(known) or "no price is known"
    return row(
        "Cost",
        panel(
            "text",
            "Prices",
            "Prices that this dashboard uses.",
            text=f"Price of one GPU per hour: {listed}. These are the prices of ultracluster's catalogue. A commitment or a "
            "Capacity Block has its own price, which you pay whether you use it or not.",
        ),
        *_totals(measured),
        width=6,
        height=5,
    )


def _totals(measured: Measured) -> tuple[Panel, ...]:
    whole = _dollars(measured, "cluster")
    idle = _dollars(measured, "cluster", condition=f"< {IDLE_BELOW}")
    missing = missing_devices(measured, "gpus")

    def total(title: str, description: str, expression: str, unit: str, colour: str) -> Panel:
        return stat(title, description, expression, unit=unit, steps=((None, colour),))

    return (
        total("Cost per hour", "All GPUs that report metrics.", _summed("sum", whole), "currencyUSD", "blue"),
        total(
            "Cost per hour of idle GPUs",
            f"GPUs with less than {IDLE_BELOW} % utilization in the last 15 minutes.",
            f"{_summed('sum', idle)} or vector(0)" if idle else "",
            "currencyUSD",
            "orange",
        ),
        total(
            "Cost in the selected time",
            "All GPUs, in the selected time range.",
            f"sum_over_time({_summed('sum', whole)}[$__range:5m]) / 12" if whole else "",
            "currencyUSD",
            "blue",
        ),
        total(
            "Missing GPUs",
            "GPUs that belong to the instance types but that DCGM does not report. You pay for them.",
            f"sum(clamp_min({missing}, 0))" if missing else "",
            "none",
            "orange",
        ),
    )


def _now(measured: Measured) -> Row:
    used = "count(<gpu_utilization>{%s} >= %d)"
    return row(
        "Usage",
        lines(
            "Busy and idle GPUs",
            f"A GPU counts as idle below {IDLE_BELOW} % utilization.",
            (used % (AT, IDLE_BELOW), "busy"),
            (f"count(<gpu_utilization>{{{AT}}} < {IDLE_BELOW})", "idle"),
            stacked=True,
        ),
        lines(
            "USD per hour",
            "Cost by instance type.",
            (_summed("sum by (instance_type)", _dollars(measured, "instance_type")), "{{instance_type}}"),
            unit="currencyUSD",
            stacked=True,
        ),
    )


def _idle(measured: Measured) -> Row:
    label = job_label(measured)
    owner = ", ".join(job_labels(measured))
    held, free = f',{label}!=""', f',{label}=""'
    condition = f"< {IDLE_BELOW}"
    hours = (
        f"sum by (node, {owner}) (count_over_time((max by (cluster, node, gpu, {owner}) "
        f'(<gpu_utilization>{{{AT},{label}!=""}}) < {IDLE_BELOW})[$__range:5m])) / 12'
    )
    return row(
        "Idle GPUs",
        table(
            "Jobs with idle GPUs",
            "GPU hours in the selected time range in which a GPU of the job was idle.",
            (hours, "Idle GPU hours"),
            (
                _summed(f"sum by (node, {owner})", _dollars(measured, f"node, {owner}", held, condition)),
                "USD per hour now",
            ),
            columns=("node", *job_labels(measured)),
            units={"USD per hour now": "currencyUSD"},
        ),
        table(
            "Nodes with unassigned GPUs",
            "GPUs that no job uses now.",
            (f'count by (node) (<gpu_utilization>{{{AT},{label}=""}})', "GPUs"),
            (_summed("sum by (node)", _dollars(measured, "node", free)), "USD per hour"),
            columns=("node",),
            units={"USD per hour": "currencyUSD"},
        ),
    )


def _jobs(measured: Measured) -> Row:
    label = job_label(measured)
    owner = ", ".join(job_labels(measured))
    spent = _summed(f"sum by ({owner})", _dollars(measured, owner, f',{label}!=""'))
    running = f"max by (cluster, node) (<train_iteration>{{{IN}}}) * 0 + 1"
    whole = _dollars(measured, "cluster, node")
    return row(
        "By job",
        table(
            "Cost of jobs",
            "GPU hours and USD in the selected time range.",
            (
                f"sum by ({owner}) (count_over_time((max by (cluster, node, gpu, {owner}) "
                f'(<gpu_utilization>{{{AT},{label}!=""}}))[$__range:5m])) / 12',
                "GPU hours",
            ),
            (f"sum_over_time(({spent})[$__range:5m]) / 12" if spent else "", "USD"),
            columns=job_labels(measured),
            units={"USD": "currencyUSD"},
        ),
        lines(
            "Tokens per USD",
            "Tokens of all runs divided by the cost of the nodes that they use.",
            (
                f"3600 * sum({rate('train_tokens', IN)}) / sum(({whole}) and on (cluster, node) ({running}))"
                if whole
                else "",
                "tokens",
            ),
        ),
        lines(
            "GPU power",
            "Power consumption of the GPUs, by node group.",
            (f"sum by (group) ({rate('gpu_energy')}) / 1000", "{{group}}"),
            unit="watt",
            stacked=True,
        ),
    )
