"""EFA, and what NCCL feels of it: traffic, what goes wrong, fallbacks to TCP, and stragglers."""

from __future__ import annotations

from config.design.observability.dashboards.ask import (
    AT,
    CLUSTER,
    NODES,
    job_label,
    jobs,
    lacking,
    nvlink,
    rate,
)
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
from config.design.observability.model import Measured


def board(measured: Measured) -> Board:
    """The dashboard."""
    return Board(
        board="efa",
        title="EFA and NCCL",
        description="Whether nodes talk to each other as they should, and which one holds the others up.",
        variables=(CLUSTER, NODES, jobs(measured)),
        rows=(_now(measured), _TRAFFIC, _WRONG, _nccl(measured)),
    )


def _now(measured: Measured) -> Row:
    missing = lacking(measured, "efa")
    return row(
        "Now",
        stat(
            "EFA devices that are missing",
            "EFA devices that the instance types have and nodes do not see.",
            (f"sum(clamp_min({missing}, 0))" if missing else "", "missing"),
            steps=ANY_IS_BAD,
            width=6,
        ),
        table(
            "Nodes with missing EFA devices",
            "NCCL runs on with fewer devices, and every node waits for this one.",
            (f"({missing}) > 0" if missing else "", "Missing"),
            columns=("node", "instance_type"),
            width=9,
        ),
        stat(
            "Traffic of all nodes",
            "What all EFA devices send together.",
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
        "Nodes of one job should send about the same.",
        (f"sum by (node) ({rate('efa_tx_bytes')})", "{{node}}"),
        unit="Bps",
    ),
    lines(
        "RDMA by kind",
        "How data moves: reads and writes between the memories of GPUs.",
        (f"sum({rate('efa_rdma_read_bytes')})", "read"),
        (f"sum({rate('efa_rdma_write_bytes')})", "written"),
        (f"sum({rate('efa_send_bytes')})", "sent"),
        (f"sum({rate('efa_recv_bytes')})", "received"),
        unit="Bps",
        stacked=True,
    ),
    heatmap(
        "Traffic of all EFA devices",
        "How many devices send how much: one that leaves the others is seen at once.",
        (f"max by (node, device) ({rate('efa_tx_bytes')})", "{{node}} {{device}}"),
        unit="Bps",
        colour="Blues",
    ),
    lines(
        "Packets, by node",
        "Packets received by each node.",
        (f"sum by (node) ({rate('efa_rx_pkts')})", "{{node}}"),
        unit="pps",
    ),
)


def _goes_wrong(title: str, description: str, limit: float, unit: str, *counters: tuple[str, str]) -> Panel:
    """Counters by device, with the rate from which AWS's own agent for nodes calls a device faulty.

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
    "What goes wrong (nothing drawn: none, or a driver that does not count it)",
    _goes_wrong(
        "Packets sent again",
        "Congestion, or a bad link. The line is where AWS calls a device faulty.",
        1000,
        "pps",
        ("efa_retrans_pkts", ""),
    ),
    _goes_wrong(
        "Data sent again",
        "The line is where AWS calls a device faulty.",
        1e6,
        "Bps",
        ("efa_retrans_bytes", ""),
    ),
    _goes_wrong(
        "Peers that do not answer",
        "Time-outs, and connections that are impaired or dead.",
        100,
        "short",
        ("efa_retrans_timeout_events", "timed out"),
        ("efa_impaired_remote_conn_events", "impaired"),
        ("efa_unresponsive_remote_events", "no answer"),
    ),
    _goes_wrong(
        "Drops and failed work",
        "Packets dropped on arrival, and RDMA requests that failed.",
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
        "What NCCL feels",
        lines(
            "Ethernet's share of the traffic, by node of the job",
            "NCCL without its EFA plugin runs over TCP, silently and many times slower: near 1 "
            "while GPUs are busy is that.",
            (f"({ethernet} / ({ethernet} + {efa})) and on (cluster, node) ({mine})", "{{node}}"),
            unit="percentunit",
            largest=1,
            steps=((None, "green"), (0.8, "red")),
        ),
        lines(
            "Slowest node of the job against its median",
            "The least that a node of the job sends, as a share of the median: far below 1 is a straggler.",
            (
                f"min({efa} and on (cluster, node) ({mine})) / "
                f"quantile(0.5, {efa} and on (cluster, node) ({mine}))",
                "slowest / median",
            ),
            unit="percentunit",
        ),
        lines(
            "NVLink, by node of the job",
            "Traffic between the GPUs of a node, both directions.",
            (nvlink(f'{AT},{label}=~"$job"', measured, "node"), "{{node}}"),
            unit="Bps",
        ),
        lines(
            "Busy, but not with tensors",
            "Nodes of the job whose GPUs are busy while their tensor cores are not: a kernel of "
            "NCCL that waits counts as busy.",
            (
                f'avg by (node) (<gpu_utilization>{{{AT},{label}=~"$job"}}) / 100 - '
                f'avg by (node) (<tensor_active>{{{AT},{label}=~"$job"}})',
                "{{node}}",
            ),
            smallest=None,
            unit="percentunit",
        ),
    )
