"""GPU health of a cluster: which node is bad, since when, and whose job it hits."""

from __future__ import annotations

from config.design.observability.dashboards.ask import (
    AT,
    CLUSTER,
    IN,
    NODE_JOB,
    NODES,
    gpus,
    job_labels,
    lacking,
    silent,
    with_job,
)
from config.design.observability.dashboards.gpu_faults import fault_rows
from config.design.observability.dashboards.gpu_load import HEAT_ROW, USE_ROW, trust_row
from config.design.observability.dashboards.parts import (
    ANY_IS_BAD,
    Board,
    Panel,
    Row,
    lines,
    row,
    stat,
    table,
)
from config.design.observability.model import Measured

BOARD = "gpu"
_OF_AN_ALERT = ("alertname", "severity", "action", "node", "gpu", "xid", "run", "dimension_FileSystemId")
_LABELS = ", ".join(_OF_AN_ALERT)
_WHERE = f'{IN},node=~"$node|"'


def board(measured: Measured) -> Board:
    """The dashboard."""
    return Board(
        board=BOARD,
        title="GPU health of the cluster",
        description="What is wrong now, on which node, since when, and which job it hits.",
        variables=(CLUSTER, NODES),
        refresh="30s",
        rows=(
            _now(measured),
            _ALERTS,
            _bad(measured),
            *fault_rows(measured),
            HEAT_ROW,
            USE_ROW,
            trust_row(measured),
        ),
    )


def _stat(title: str, description: str, expression: str) -> Panel:
    return stat(title, description, expression, steps=ANY_IS_BAD, decimals=0)


def _now(measured: Measured) -> Row:
    missing = lacking(measured, "gpus")
    return row(
        "Now",
        stat(
            "GPUs that answer",
            "GPUs that DCGM sees, over all nodes.",
            (f"sum({gpus('cluster, node')})", "GPUs"),
            decimals=0,
        ),
        _stat(
            "GPUs that are missing",
            "GPUs that the instance types have and DCGM does not see: a GPU that fell off the bus has no "
            "series, so no threshold sees it.",
            f"sum(clamp_min({missing}, 0))" if missing else "",
        ),
        _stat(
            "GPUs with XIDs",
            "GPUs for which the driver reported an error in the last minutes.",
            f"count(max by (cluster, node, gpu) (<xid_count>{{{AT}}}) > 0) or vector(0)",
        ),
        _stat(
            "GPUs to be exchanged",
            "GPUs whose memory has no spare rows left: they are faulty for good.",
            f"count(max by (cluster, node, gpu) (<row_remap_failure>{{{AT}}}) > 0) or vector(0)",
        ),
        _stat(
            "Nodes that do not answer",
            "Nodes whose exporter of system metrics does not answer, or that were there in the last two hours.",
            f"count({silent(measured, NODE_JOB)}) or vector(0)",
        ),
        _stat(
            "Nodes that failed their check",
            "Nodes whose own check of GPUs and EFA devices found a problem.",
            f"count(max by (cluster, node) (<gpu_problems>{{{AT}}}) > 0) or vector(0)",
        ),
        width=4,
        height=4,
    )


_ALERTS = row(
    "Alerts",
    table(
        "Alerts that fire, and since when",
        "Every alert of the cluster that fires, the oldest at the bottom. Since: when its "
        "condition began to hold.",
        (
            f"1000 * max by ({_LABELS}) (<alerts_since>{{{_WHERE}}}) and on ({_LABELS}) "
            f'max by ({_LABELS}) (<alerts>{{{_WHERE},alertstate="firing"}})',
            "Since",
        ),
        columns=_OF_AN_ALERT,
        unit="dateTimeFromNow",
    ),
    width=24,
)


def _bad(measured: Measured) -> Row:
    missing = lacking(measured, "gpus")
    xids = f"max by (cluster, node, gpu, xid) (<xid_count>{{{AT}}}) > 0"
    advice = f"max by (cluster, node, gpu) (<gpu_recovery_action>{{{AT}}}) > 0"
    return row(
        "Bad nodes and GPUs",
        table(
            "GPUs with XIDs, and their jobs",
            "What the driver reported in the last minutes. What an XID means and what to do "
            "about it is in the runbook of the alert.",
            (with_job(xids, "xid", measured), "Times"),
            columns=("node", "gpu", "xid", *job_labels(measured)),
        ),
        table(
            "GPUs that the driver wants to recover, and their jobs",
            "The driver's own advice for each GPU that is not well.",
            (with_job(advice, "", measured), "Advice"),
            columns=("node", "gpu", *job_labels(measured)),
            mappings={
                "1": "reset the GPU",
                "2": "reboot the node",
                "3": "drain peer-to-peer",
                "4": "drain and reset",
            },
        ),
        table(
            "Nodes with missing GPUs",
            "How many GPUs DCGM does not see that the instance type has.",
            (f"({missing}) > 0" if missing else "", "Missing"),
            columns=("node", "instance_type"),
        ),
        lines(
            "XIDs by node",
            "Errors that the driver reported in a moving window, by node and code.",
            (f"sum by (node, xid) (<xid_count>{{{AT}}})", "{{node}} XID {{xid}}"),
            (
                f"sum by (node, xid) (increase(<kernel_xid>{{{AT}}}[$__rate_interval]))",
                "{{node}} XID {{xid}} (kernel log)",
            ),
        ),
    )
