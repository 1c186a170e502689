"""What GPUs cost, and what of it is wasted."""

from __future__ import annotations

from config.design.observability.dashboards.ask import (
    AT,
    CLUSTER,
    IN,
    NODES,
    job_label,
    job_labels,
    lacking,
    prices,
    rate,
)
from config.design.observability.dashboards.parts import Board, Panel, Row, lines, panel, row, stat, table
from config.design.observability.model import Measured

IDLE_BELOW = 5
"""Percent of time in which something runs, below which a GPU counts as idle."""


def board(measured: Measured) -> Board:
    """The dashboard. Dollars are shown where the price of a GPU is known; GPU hours always."""
    return Board(
        board="cost",
        title="Cost",
        description="What the GPUs cost, by node and job, and what of it is paid for nothing.",
        variables=(CLUSTER, NODES),
        rows=(_text(measured), _now(measured), _idle(measured), _jobs(measured)),
        refresh="5m",
        since="now-24h",
    )


def _count(by: str, matchers: str, condition: str = "") -> str:
    """GPUs by labels and instance type, TYPE being where the type is asked for."""
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
        f"{nodes.instance_type}: {nodes.dollars_per_gpu_hour:.2f} dollars"
        for nodes in measured.gpu_nodes
        if nodes.dollars_per_gpu_hour is not None
    )
    told = "; ".join(known) or "no price is known"
    return row(
        "What it costs",
        panel(
            "text",
            "Prices",
            "Where the dollars come from.",
            text=f"An hour of one GPU: {told}. These are the prices of the catalogue: a commitment or a "
            "reserved block costs what its contract says, used or not.",
        ),
        *_totals(measured),
        width=6,
        height=5,
    )


def _totals(measured: Measured) -> tuple[Panel, ...]:
    whole = _dollars(measured, "cluster")
    idle = _dollars(measured, "cluster", condition=f"< {IDLE_BELOW}")
    missing = lacking(measured, "gpus")

    def total(title: str, description: str, expression: str, unit: str, colour: str) -> Panel:
        return stat(title, description, expression, unit=unit, steps=((None, colour),))

    return (
        total("An hour costs", "All GPUs that answer.", _summed("sum", whole), "currencyUSD", "blue"),
        total(
            "Of which for idle GPUs",
            f"GPUs that were busy less than {IDLE_BELOW} % of the last 15 minutes.",
            f"{_summed('sum', idle)} or vector(0)" if idle else "",
            "currencyUSD",
            "orange",
        ),
        total(
            "In the time shown",
            "All GPUs, over the time chosen above.",
            f"sum_over_time({_summed('sum', whole)}[$__range:5m]) / 12" if whole else "",
            "currencyUSD",
            "blue",
        ),
        total(
            "GPUs paid for and missing",
            "GPUs that instance types have and DCGM does not see.",
            f"sum(clamp_min({missing}, 0))" if missing else "",
            "none",
            "orange",
        ),
    )


def _now(measured: Measured) -> Row:
    used = "count(<gpu_utilization>{%s} >= %d)"
    return row(
        "Use",
        lines(
            "GPUs: at work and idle",
            "By whether something ran on them.",
            (used % (AT, IDLE_BELOW), "at work"),
            (f"count(<gpu_utilization>{{{AT}}} < {IDLE_BELOW})", "idle"),
            stacked=True,
        ),
        lines(
            "Dollars an hour",
            "By instance type.",
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
        "Paid for nothing",
        table(
            "Jobs that hold idle GPUs",
            "GPU hours, in the time chosen above, in which a job's GPU was idle.",
            (hours, "GPU hours idle"),
            (
                _summed(f"sum by (node, {owner})", _dollars(measured, f"node, {owner}", held, condition)),
                "Dollars an hour now",
            ),
            columns=("node", *job_labels(measured)),
            units={"Dollars an hour now": "currencyUSD"},
        ),
        table(
            "Nodes with GPUs that nobody has",
            "GPUs without a job now.",
            (f'count by (node) (<gpu_utilization>{{{AT},{label}=""}})', "GPUs"),
            (_summed("sum by (node)", _dollars(measured, "node", free)), "Dollars an hour"),
            columns=("node",),
            units={"Dollars an hour": "currencyUSD"},
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
            "Jobs by what they cost",
            "GPU hours and dollars in the time chosen above.",
            (
                f"sum by ({owner}) (count_over_time((max by (cluster, node, gpu, {owner}) "
                f'(<gpu_utilization>{{{AT},{label}!=""}}))[$__range:5m])) / 12',
                "GPU hours",
            ),
            (f"sum_over_time(({spent})[$__range:5m]) / 12" if spent else "", "Dollars"),
            columns=job_labels(measured),
            units={"Dollars": "currencyUSD"},
        ),
        lines(
            "Tokens for a dollar",
            "Tokens of all runs, for what the nodes cost on which they run.",
            (
                f"3600 * sum({rate('train_tokens', IN)}) / sum(({whole}) and on (cluster, node) ({running}))"
                if whole
                else "",
                "tokens",
            ),
        ),
        lines(
            "Energy of GPUs",
            "What they draw, by group of nodes.",
            (f"sum by (group) ({rate('gpu_energy')}) / 1000", "{{group}}"),
            unit="watt",
            stacked=True,
        ),
    )
