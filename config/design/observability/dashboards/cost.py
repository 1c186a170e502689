"""What GPUs cost, and what of it is wasted."""

from __future__ import annotations

from config.design.observability.dashboards.ask import (
    AT,
    CLUSTER,
    IN,
    NODES,
    TO_NODE,
    job_columns,
    job_label,
    job_labels,
    job_link,
    lacking,
    prices,
)
from config.design.observability.dashboards.parts import Board, Panel, Query, Row
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
    if condition:
        inner = (
            f"max by ({labels}) (avg_over_time(<gpu_utilization>{{{AT},TYPE{matchers}}}[15m])) {condition}"
        )
    else:
        inner = f"max by ({labels}) (<gpu_utilization>{{{AT},TYPE{matchers}}})"
    return f"count by ({kept}) ({inner})"


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
    return Row(
        title="What it costs",
        panels=(
            Panel(
                kind="text",
                title="Prices",
                description="Where the dollars come from.",
                text=f"An hour of one GPU: {told}. These are the prices of the catalogue: a commitment or a "
                "reserved block costs what its contract says, used or not.",
                width=6,
                height=5,
            ),
            *_totals(measured),
        ),
    )


def _totals(measured: Measured) -> tuple[Panel, ...]:
    whole = _dollars(measured, "cluster")
    idle = _dollars(measured, "cluster", condition=f"< {IDLE_BELOW}")
    missing = lacking(measured, "gpus")

    def stat(title: str, description: str, expression: str, unit: str, colour: str) -> Panel:
        return Panel(
            kind="stat",
            title=title,
            description=description,
            queries=(Query(expression=expression, legend=title),),
            unit=unit,
            steps=((None, colour),),
            width=6,
            height=5,
        )

    return (
        stat("An hour costs", "All GPUs that answer.", _summed("sum", whole), "currencyUSD", "blue"),
        stat(
            "Of which for idle GPUs",
            f"GPUs that were busy less than {IDLE_BELOW} % of the last 15 minutes.",
            f"{_summed('sum', idle)} or vector(0)" if idle else "",
            "currencyUSD",
            "orange",
        ),
        stat(
            "In the time shown",
            "All GPUs, over the time chosen above.",
            f"sum_over_time({_summed('sum', whole)}[$__range:5m]) / 12" if whole else "",
            "currencyUSD",
            "blue",
        ),
        stat(
            "GPUs paid for and missing",
            "GPUs that instance types have and DCGM does not see.",
            f"sum(clamp_min({missing}, 0))" if missing else "",
            "none",
            "orange",
        ),
    )


def _now(measured: Measured) -> Row:
    used = "count(<gpu_utilization>{%s} >= %d)"
    return Row(
        title="Use",
        panels=(
            Panel(
                kind="timeseries",
                title="GPUs: at work and idle",
                description="By whether something ran on them.",
                queries=(
                    Query(expression=used % (AT, IDLE_BELOW), legend="at work"),
                    Query(
                        expression=f"count(<gpu_utilization>{{{AT}}} < {IDLE_BELOW})",
                        legend="idle",
                    ),
                ),
                stacked=True,
                smallest=0,
            ),
            Panel(
                kind="timeseries",
                title="Dollars an hour",
                description="By instance type.",
                queries=(
                    Query(
                        expression=_summed("sum by (instance_type)", _dollars(measured, "instance_type")),
                        legend="{{instance_type}}",
                    ),
                ),
                unit="currencyUSD",
                stacked=True,
                smallest=0,
            ),
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
    return Row(
        title="Paid for nothing",
        panels=(
            Panel(
                kind="table",
                title="Jobs that hold idle GPUs",
                description="GPU hours, in the time chosen above, in which a job's GPU was idle.",
                queries=(
                    Query(expression=hours),
                    Query(
                        expression=_summed(
                            f"sum by (node, {owner})", _dollars(measured, f"node, {owner}", held, condition)
                        )
                    ),
                ),
                columns={"node": "Node", **job_columns(measured)},
                values=("GPU hours idle", "Dollars an hour now"),
                units={"Dollars an hour now": "currencyUSD", "GPU hours idle": "short"},
                links=(TO_NODE, job_link(measured)),
            ),
            Panel(
                kind="table",
                title="Nodes with GPUs that nobody has",
                description="GPUs without a job now.",
                queries=(
                    Query(expression=f'count by (node) (<gpu_utilization>{{{AT},{label}=""}})'),
                    Query(expression=_summed("sum by (node)", _dollars(measured, "node", free))),
                ),
                columns={"node": "Node"},
                values=("GPUs", "Dollars an hour"),
                units={"Dollars an hour": "currencyUSD", "GPUs": "short"},
                links=(TO_NODE,),
            ),
        ),
    )


def _jobs(measured: Measured) -> Row:
    label = job_label(measured)
    owner = ", ".join(job_labels(measured))
    spent = _summed(f"sum by ({owner})", _dollars(measured, owner, f',{label}!=""'))
    running = f"max by (cluster, node) (<train_iteration>{{{IN}}}) * 0 + 1"
    whole = _dollars(measured, "cluster, node")
    return Row(
        title="By job",
        panels=(
            Panel(
                kind="table",
                title="Jobs by what they cost",
                description="GPU hours and dollars in the time chosen above.",
                queries=(
                    Query(
                        expression=f"sum by ({owner}) (count_over_time((max by (cluster, node, gpu, {owner}) "
                        f'(<gpu_utilization>{{{AT},{label}!=""}}))[$__range:5m])) / 12'
                    ),
                    Query(expression=f"sum_over_time(({spent})[$__range:5m]) / 12" if spent else ""),
                ),
                columns=job_columns(measured),
                values=("GPU hours", "Dollars"),
                units={"Dollars": "currencyUSD", "GPU hours": "short"},
                links=(job_link(measured),),
            ),
            Panel(
                kind="timeseries",
                title="Tokens for a dollar",
                description="Tokens of all runs, for what the nodes cost on which they run.",
                queries=(
                    Query(
                        expression=f"3600 * sum(rate(<train_tokens>{{{IN}}}[$__rate_interval])) / "
                        f"sum(({whole}) and on (cluster, node) ({running}))"
                        if whole
                        else "",
                        legend="tokens",
                    ),
                ),
                smallest=0,
            ),
            Panel(
                kind="timeseries",
                title="Energy of GPUs",
                description="What they draw, by group of nodes.",
                queries=(
                    Query(
                        expression=f"sum by (group) (rate(<gpu_energy>{{{AT}}}[$__rate_interval])) / 1000",
                        legend="{{group}}",
                    ),
                ),
                unit="watt",
                smallest=0,
                stacked=True,
            ),
        ),
    )
