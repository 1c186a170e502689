"""Dashboard of EFA and NCCL: traffic, errors, fallbacks to TCP, and stragglers."""

from __future__ import annotations

from config.design.observability.dashboards.node_host import WIRES
from config.design.observability.dashboards.parts import (
    ANY_IS_BAD,
    Board,
    Panel,
    Row,
    heatmap,
    lines,
    row,
    stat,
    table,
)
from config.design.observability.dashboards.promql import (
    AT,
    CLUSTER,
    NODES,
    job_label,
    jobs,
    missing_devices,
    nvlink,
    rate,
)
from config.design.observability.model import Measured


def board(measured: Measured) -> Board:
    """Return the dashboard."""
    return Board(
        board="efa",
        title="EFA and NCCL",
        description="Communication between nodes: traffic, errors, and slow nodes.",
        variables=(CLUSTER, NODES, jobs(measured)),
        rows=(_now(measured), _TRAFFIC, _WRONG, _nccl(measured)),
    )


def _now(measured: Measured) -> Row:
    missing = missing_devices(measured, "efa")
    return row(
        "Now",
        stat(
            "Missing EFA devices",
            "EFA devices that belong to the instance types but that nodes do not report.",
            (f"sum(clamp_min({missing}, 0))" if missing else "", "missing"),
            steps=ANY_IS_BAD,
            width=6,
        ),
        table(
            "Nodes with missing EFA devices",
            "NCCL continues with fewer devices, and all nodes of the job wait for this node.",
            (f"({missing}) > 0" if missing else "", "Missing"),
            columns=("node", "instance_type"),
            width=9,
        ),
        stat(
            "Traffic of all nodes",
            "Total data that all EFA devices send.",
            (f"sum({rate('efa_tx_bytes')})", "sent"),
            unit="Bps",
            width=9,
        ),
        height=6,
    )


_TRAFFIC = row(
    "Traffic",
    lines(
        "Sent over EFA, by node",
        "All nodes of a job should send about the same amount.",
        (f"sum by (node) ({rate('efa_tx_bytes')})", "{{node}}"),
        unit="Bps",
    ),
    lines(
        "EFA traffic by operation",
        "RDMA reads and writes, and messages that are sent and received.",
        (f"sum({rate('efa_rdma_read_bytes')})", "read"),
        (f"sum({rate('efa_rdma_write_bytes')})", "written"),
        (f"sum({rate('efa_send_bytes')})", "sent"),
        (f"sum({rate('efa_recv_bytes')})", "received"),
        unit="Bps",
        stacked=True,
    ),
    heatmap(
        "Traffic of all EFA devices",
        "Number of devices by throughput. A device that differs from the others is visible at once.",
        (f"max by (node, device) ({rate('efa_tx_bytes')})", "{{node}} {{device}}"),
        unit="Bps",
        colour="Blues",
    ),
    lines(
        "Packets received, by node",
        "Packets per second that each node receives.",
        (f"sum by (node) ({rate('efa_rx_pkts')})", "{{node}}"),
        unit="pps",
    ),
)


def _goes_wrong(title: str, description: str, limit: float, unit: str, *counters: tuple[str, str]) -> Panel:
    """Return a panel of counters by device; red marks rates that EKS reports as a fault.

    Source of the limits: https://github.com/aws/eks-node-monitoring-agent (monitors/networking/efa/efa.go)
    """
    return lines(
        title,
        description,
        *(
            (f"max by (node, device) ({rate(key)}) > 0", f"{{{{node}}}} {{{{device}}}} {name}".rstrip())
            for key, name in counters
        ),
        unit=unit,
        steps=((None, "green"), (limit, "red")),
    )


_WRONG = row(
    "EFA errors (an empty panel means no errors, or a driver without this counter)",
    _goes_wrong(
        "Retransmitted packets",
        "Congestion, or a faulty link. Above the line, the EKS node monitoring agent reports the device as faulty.",
        1000,
        "pps",
        ("efa_retrans_pkts", ""),
    ),
    _goes_wrong(
        "Retransmitted data",
        "Above the line, the EKS node monitoring agent reports the device as faulty.",
        1e6,
        "Bps",
        ("efa_retrans_bytes", ""),
    ),
    _goes_wrong(
        "Unresponsive peers",
        "Timeouts, and connections that are impaired or broken.",
        100,
        "short",
        ("efa_retrans_timeout_events", "timed out"),
        ("efa_impaired_remote_conn_events", "impaired"),
        ("efa_unresponsive_remote_events", "no response"),
    ),
    _goes_wrong(
        "Drops and failed requests",
        "Received packets that were dropped, and RDMA requests that failed.",
        100,
        "short",
        ("efa_rx_drops", "dropped"),
        ("efa_rdma_read_wr_err", "read failed"),
        ("efa_rdma_write_wr_err", "write failed"),
    ),
)


def _nccl(measured: Measured) -> Row:
    label = job_label(measured)
    mine = f'max by (cluster, node) (<gpu_utilization>{{{AT},{label}=~"$job"}}) * 0 + 1'
    efa = f"sum by (cluster, node) ({rate('efa_tx_bytes')})"
    ethernet = f"sum by (cluster, node) ({rate('node_network_sent', f'{AT},{WIRES}')})"
    return row(
        "NCCL",
        lines(
            "Ethernet share of the traffic, by node of the job",
            "Without its EFA plugin, NCCL silently uses TCP and is many times slower. A value near 1 while GPUs are "
            "busy shows this.",
            (f"({ethernet} / ({ethernet} + {efa})) and on (cluster, node) ({mine})", "{{node}}"),
            unit="percentunit",
            largest=1,
            steps=((None, "green"), (0.8, "red")),
        ),
        lines(
            "Slowest node of the job compared with the median",
            "Lowest throughput of a node of the job, divided by the median. A straggler has a value far below 1.",
            (
                f"min({efa} and on (cluster, node) ({mine})) / "
                f"quantile(0.5, {efa} and on (cluster, node) ({mine}))",
                "slowest / median",
            ),
            unit="percentunit",
        ),
        lines(
            "NVLink, by node of the job",
            "Traffic between the GPUs of a node in both directions.",
            (nvlink(f'{AT},{label}=~"$job"', measured, "node"), "{{node}}"),
            unit="Bps",
        ),
        lines(
            "GPU utilization minus tensor core activity",
            "A high value means that GPUs are busy but their tensor cores are not. An NCCL kernel that waits "
            "counts as busy.",
            (
                f'avg by (node) (<gpu_utilization>{{{AT},{label}=~"$job"}}) / 100 - '
                f'avg by (node) (<tensor_active>{{{AT},{label}=~"$job"}})',
                "{{node}}",
            ),
            smallest=None,
            unit="percentunit",
        ),
    )
