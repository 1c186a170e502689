"""EFA, and what NCCL feels of it: traffic, what goes wrong, fallbacks to TCP, and stragglers."""

from __future__ import annotations

from config.design.observability.dashboards.ask import (
    AT,
    CLUSTER,
    NODES,
    TO_NODE,
    TO_NODE_OF_SERIES,
    job_label,
    jobs,
    lacking,
    nvlink,
)
from config.design.observability.dashboards.node_host import WIRES
from config.design.observability.dashboards.parts import ANY_IS_BAD, Board, Panel, Query, Row, Steps
from config.design.observability.model import Measured


def board(measured: Measured) -> Board:
    """The dashboard."""
    return Board(
        board="efa",
        title="EFA and NCCL",
        description="Whether nodes talk to each other as they should, and which one holds the others up.",
        variables=(CLUSTER, NODES, jobs(measured)),
        rows=(_now(measured), _traffic(), _wrong(), _nccl(measured)),
    )


def _rate(key: str, window: str = "$__rate_interval") -> str:
    return f"rate(<{key}>{{{AT}}}[{window}])"


def _now(measured: Measured) -> Row:
    missing = lacking(measured, "efa")
    return Row(
        title="Now",
        panels=(
            Panel(
                kind="stat",
                title="EFA devices that are missing",
                description="EFA devices that the instance types have and nodes do not see.",
                queries=(
                    Query(expression=f"sum(clamp_min({missing}, 0))" if missing else "", legend="missing"),
                ),
                steps=ANY_IS_BAD,
                width=6,
                height=6,
            ),
            Panel(
                kind="table",
                title="Nodes with missing EFA devices",
                description="NCCL runs on with fewer devices, and every node waits for this one.",
                queries=(Query(expression=f"({missing}) > 0" if missing else ""),),
                columns={"node": "Node", "instance_type": "Type"},
                values=("Missing",),
                links=(TO_NODE,),
                width=9,
                height=6,
            ),
            Panel(
                kind="stat",
                title="Traffic of all nodes",
                description="What all EFA devices send together.",
                queries=(Query(expression=f"sum({_rate('efa_tx_bytes')})", legend="sent"),),
                unit="Bps",
                width=9,
                height=6,
            ),
        ),
    )


def _traffic() -> Row:
    return Row(
        title="Traffic",
        panels=(
            Panel(
                kind="timeseries",
                title="Sent over EFA, by node",
                description="Nodes of one job should send about the same.",
                queries=(Query(expression=f"sum by (node) ({_rate('efa_tx_bytes')})", legend="{{node}}"),),
                unit="Bps",
                smallest=0,
                links=(TO_NODE_OF_SERIES,),
            ),
            Panel(
                kind="timeseries",
                title="RDMA by kind",
                description="How data moves: reads and writes between the memories of GPUs.",
                queries=(
                    Query(expression=f"sum({_rate('efa_rdma_read_bytes')})", legend="read"),
                    Query(expression=f"sum({_rate('efa_rdma_write_bytes')})", legend="written"),
                    Query(expression=f"sum({_rate('efa_send_bytes')})", legend="sent"),
                    Query(expression=f"sum({_rate('efa_recv_bytes')})", legend="received"),
                ),
                unit="Bps",
                smallest=0,
                stacked=True,
            ),
            Panel(
                kind="heatmap",
                title="Traffic of all EFA devices",
                description="How many devices send how much: one that leaves the others is seen at once.",
                queries=(
                    Query(
                        expression=f"max by (node, device) ({_rate('efa_tx_bytes')})",
                        legend="{{node}} {{device}}",
                    ),
                ),
                unit="Bps",
                colour="Blues",
            ),
            Panel(
                kind="timeseries",
                title="Packets, by node",
                description="Packets received by each node.",
                queries=(Query(expression=f"sum by (node) ({_rate('efa_rx_pkts')})", legend="{{node}}"),),
                unit="pps",
                smallest=0,
                links=(TO_NODE_OF_SERIES,),
            ),
        ),
    )


def _goes_wrong(title: str, description: str, limit: float, unit: str, *counters: tuple[str, str]) -> Panel:
    """Counters by device, with the rate from which AWS's own agent for nodes calls a device faulty.

    Source of the limits: https://github.com/aws/eks-node-monitoring-agent (monitors/networking/efa/efa.go)
    """
    steps: Steps = ((None, "green"), (limit, "red"))
    return Panel(
        kind="timeseries",
        title=title,
        description=description,
        queries=tuple(
            Query(
                expression=f"max by (node, device) ({_rate(key)}) > 0",
                legend=f"{{{{node}}}} {{{{device}}}} {name}".rstrip(),
            )
            for key, name in counters
        ),
        unit=unit,
        smallest=0,
        steps=steps,
        links=(TO_NODE_OF_SERIES,),
    )


def _wrong() -> Row:
    return Row(
        title="What goes wrong (nothing drawn: none, or a driver that does not count it)",
        panels=(
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
        ),
    )


def _nccl(measured: Measured) -> Row:
    label = job_label(measured)
    mine = f'max by (cluster, node) (<gpu_utilization>{{{AT},{label}=~"$job"}}) * 0 + 1'
    efa = f"sum by (cluster, node) ({_rate('efa_tx_bytes')})"
    ethernet = f"sum by (cluster, node) (rate(<node_network_sent>{{{AT},{WIRES}}}[$__rate_interval]))"
    return Row(
        title="What NCCL feels",
        panels=(
            Panel(
                kind="timeseries",
                title="Ethernet's share of the traffic, by node of the job",
                description="NCCL without its EFA plugin runs over TCP, silently and many times slower: near 1 "
                "while GPUs are busy is that.",
                queries=(
                    Query(
                        expression=f"({ethernet} / ({ethernet} + {efa})) and on (cluster, node) ({mine})",
                        legend="{{node}}",
                    ),
                ),
                unit="percentunit",
                smallest=0,
                largest=1,
                steps=((None, "green"), (0.8, "red")),
                links=(TO_NODE_OF_SERIES,),
            ),
            Panel(
                kind="timeseries",
                title="Slowest node of the job against its median",
                description="The least that a node of the job sends, as a share of the median: far below 1 is a "
                "straggler.",
                queries=(
                    Query(
                        expression=f"min({efa} and on (cluster, node) ({mine})) / "
                        f"quantile(0.5, {efa} and on (cluster, node) ({mine}))",
                        legend="slowest / median",
                    ),
                ),
                unit="percentunit",
                smallest=0,
            ),
            Panel(
                kind="timeseries",
                title="NVLink, by node of the job",
                description="Traffic between the GPUs of a node, both directions.",
                queries=(
                    Query(expression=nvlink(f'{AT},{label}=~"$job"', measured, "node"), legend="{{node}}"),
                ),
                unit="Bps",
                smallest=0,
                links=(TO_NODE_OF_SERIES,),
            ),
            Panel(
                kind="timeseries",
                title="Busy, but not with tensors",
                description="Nodes of the job whose GPUs are busy while their tensor cores are not: a kernel of "
                "NCCL that waits counts as busy.",
                queries=(
                    Query(
                        expression=f'avg by (node) (<gpu_utilization>{{{AT},{label}=~"$job"}}) / 100 - '
                        f'avg by (node) (<tensor_active>{{{AT},{label}=~"$job"}})',
                        legend="{{node}}",
                    ),
                ),
                unit="percentunit",
                links=(TO_NODE_OF_SERIES,),
            ),
        ),
    )
