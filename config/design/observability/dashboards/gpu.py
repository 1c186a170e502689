"""Dashboard of GPU health: faulty nodes, the times of their faults, and the affected jobs."""

from __future__ import annotations

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
from config.design.observability.dashboards.promql import (
    AT,
    CLUSTER,
    IN,
    NODE_JOB,
    NODES,
    gpus,
    job_labels,
    missing_devices,
    unresponsive,
    with_job,
)
from config.design.observability.model import Measured

BOARD = "gpu"
_OF_AN_ALERT = ("alertname", "severity", "action", "node", "gpu", "xid", "run", "dimension_FileSystemId")
_LABELS = ", ".join(_OF_AN_ALERT)
_WHERE = f'{IN},node=~"$node|"'


def board(measured: Measured) -> Board:
    """Return the dashboard."""
    return Board(
        board=BOARD,
        title="GPU health of the cluster",
        description="Current faults, with the node, the start of the fault and the affected job.",
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
    missing = missing_devices(measured, "gpus")
    return row(
        "Now",
        stat(
            "Visible GPUs",
            "GPUs that DCGM reports, on all nodes.",
            (f"sum({gpus('cluster, node')})", "GPUs"),
            decimals=0,
        ),
        _stat(
            "Missing GPUs",
            "GPUs that belong to the instance types but that DCGM does not report. A GPU that has fallen off the "
            "bus has no metrics.",
            f"sum(clamp_min({missing}, 0))" if missing else "",
        ),
        _stat(
            "GPUs with XIDs",
            "GPUs for which the driver reported an error in the last minutes.",
            f"count(max by (cluster, node, gpu) (<xid_count>{{{AT}}}) > 0) or vector(0)",
        ),
        _stat(
            "GPUs to exchange",
            "GPUs that cannot remap more memory rows. A reset does not repair them.",
            f"count(max by (cluster, node, gpu) (<row_remap_failure>{{{AT}}}) > 0) or vector(0)",
        ),
        _stat(
            "Nodes that do not respond",
            "Nodes whose node_exporter does not respond, or that stopped reporting in the last two hours.",
            f"count({unresponsive(measured, NODE_JOB)}) or vector(0)",
        ),
        _stat(
            "Nodes with failed checks",
            "Nodes on which the check of GPUs and EFA devices found a problem.",
            f"count(max by (cluster, node) (<gpu_problems>{{{AT}}}) > 0) or vector(0)",
        ),
        width=4,
        height=4,
    )


_ALERTS = row(
    "Alerts",
    table(
        "Firing alerts",
        "All alerts of the cluster that fire, with the oldest at the bottom. Since: the time at which the "
        "condition began.",
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
    missing = missing_devices(measured, "gpus")
    xids = f"max by (cluster, node, gpu, xid) (<xid_count>{{{AT}}}) > 0"
    advice = f"max by (cluster, node, gpu) (<gpu_recovery_action>{{{AT}}}) > 0"
    return row(
        "Faulty nodes and GPUs",
        table(
            "GPUs with XIDs, and their jobs",
            "XIDs that the driver reported in the last minutes. The runbook of the alert describes the "
            "meaning of the XID and the recommended action.",
            (with_job(xids, "xid", measured), "Count"),
            columns=("node", "gpu", "xid", *job_labels(measured)),
        ),
        table(
            "GPUs that need recovery, and their jobs",
            "Action that the driver recommends for each faulty GPU.",
            (with_job(advice, "", measured), "Recommended action"),
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
            "Number of GPUs that belong to the instance type but that DCGM does not report.",
            (f"({missing}) > 0" if missing else "", "Missing"),
            columns=("node", "instance_type"),
        ),
        lines(
            "XIDs by node",
            "Errors that the driver reported in a moving time window, by node and code.",
            (f"sum by (node, xid) (<xid_count>{{{AT}}})", "{{node}} XID {{xid}}"),
            (
                f"sum by (node, xid) (increase(<kernel_xid>{{{AT}}}[$__rate_interval]))",
                "{{node}} XID {{xid}} (kernel log)",
            ),
        ),
    )
