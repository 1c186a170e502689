"""Alerts for missing EFA devices, lost packets and training traffic that uses TCP instead of EFA.

The thresholds are those at which the EKS node monitoring agent reports EFAErrorMetric.
"""

from __future__ import annotations

from functools import partial

from config.design.observability.alerts.model import MINUTE, NODE, Alert, Threshold

_NMA = "aws/eks-node-monitoring-agent:monitors/networking/efa/efa.go@51af549"
_DEVICE = f"{NODE}, device"
_PLACE = "{{ $labels.node }}: EFA {{ $labels.device }}"
_DRIVER = "Check the version of the EFA driver: older versions lack this counter, and the alert cannot fire."
_SENT = f"sum by ({NODE}) (rate(<efa_tx_bytes>[5m]))"
_alert = partial(Alert, family="efa")


def _rdma(way: str) -> str:
    """Return an expression for RDMA traffic in one direction; some drivers count only one direction."""
    return f"sum by ({NODE}) (rate(<efa_rdma_{way}_bytes>[5m]))"


def _rate(
    name: str, key: str, limit: float, unit: str, summary: str, meaning: str, check: str = _DRIVER
) -> Alert:
    return _alert(
        name=name,
        queries=f"max by ({_DEVICE}) (rate(<{key}>[5m])) > $threshold",
        threshold=Threshold(value=limit, unit=unit, source=_NMA),
        summary=_PLACE + ": " + summary,
        meaning=meaning,
        checks=("Run `rdma statistic show` on the node and on the nodes that it communicates with.", check),
        remedy="If one node is affected, drain it and report it to AWS Support. If many are, report a network problem.",
    )


ALERTS = (
    _alert(
        name="EfaMissing",
        severity="critical",
        queries="ultracluster:expected_efa_devices"
        " - (ultracluster:seen_efa_devices or ultracluster:expected_efa_devices * 0) > 0",
        summary="{{ $labels.node }}: missing EFA devices: {{ $value }}",
        meaning="The node has fewer EFA devices than its instance type and layout provide, so its bandwidth is lower.",
        checks=(
            "Run `fi_info -p efa` and `ls /sys/class/infiniband` on the node.",
            "Check the network interfaces that the instance was launched with.",
        ),
        remedy="Reboot the node. If a device is still missing, replace the node.",
    ),
    _rate(
        "EfaRetransmits",
        "efa_retrans_pkts",
        1000,
        "packets per second",
        "many packets are retransmitted",
        "The network path to another node loses packets. Collectives become slow, and may fail later.",
    ),
    _rate(
        "EfaRetransmittedBytes",
        "efa_retrans_bytes",
        1_000_000,
        "bytes per second",
        "many bytes are retransmitted",
        "The network path to another node loses packets. Collectives become slow, and may fail later.",
    ),
    _rate(
        "EfaRetransmitTimeouts",
        "efa_retrans_timeout_events",
        100,
        "timeouts per second",
        "retransmission timeouts",
        "Another node does not respond in time.",
    ),
    _rate(
        "EfaImpaired",
        "efa_impaired_remote_conn_events",
        100,
        "events per second",
        "connections are impaired",
        "Connections to another node are slower than they should be.",
    ),
    _rate(
        "EfaUnresponsive",
        "efa_unresponsive_remote_events",
        100,
        "events per second",
        "another node does not respond",
        "Another node, or its EFA device, does not respond.",
        "Check the alerts NodeLost and EfaMissing to find that node.",
    ),
    _rate(
        "EfaRdmaReadErrors",
        "efa_rdma_read_wr_err",
        100,
        "errors per second",
        "RDMA reads fail",
        "RDMA reads from the memory of another node fail.",
        "Search for NCCL messages in the job's log.",
    ),
    _rate(
        "EfaRdmaWriteErrors",
        "efa_rdma_write_wr_err",
        100,
        "errors per second",
        "RDMA writes fail",
        "RDMA writes to the memory of another node fail.",
        "Search for NCCL messages in the job's log.",
    ),
    _rate(
        "EfaReceiveDrops",
        "efa_rx_drops",
        100,
        "packets per second",
        "received packets are dropped",
        "The node cannot process packets as fast as they arrive.",
        "Check whether a process of the job hangs.",
    ),
    _alert(
        name="TrainingOverTcp",
        severity="critical",
        # a job on one node has no traffic, and a checkpoint causes traffic in one direction only: busy GPUs with
        # much TCP traffic in both directions and no EFA traffic mean that NCCL uses TCP
        queries=f"{_SENT} + ({_rdma('read')} or {_SENT} * 0) + ({_rdma('write')} or {_SENT} * 0) < 1e6"
        f' and sum by ({NODE}) (rate(<node_network_received>{{device=~"(en[ps]|eth).*"}}[5m])) > $threshold * 1e6'
        f' and sum by ({NODE}) (rate(<node_network_sent>{{device=~"(en[ps]|eth).*"}}[5m])) > $threshold * 1e6'
        f" and avg by ({NODE}) (<gpu_utilization>) > 50",
        threshold=Threshold(value=500, unit="MB/s in each direction"),
        summary="{{ $labels.node }}: a job communicates over TCP instead of EFA",
        meaning="NCCL uses TCP sockets instead of EFA. Training continues, but much more slowly.",
        checks=(
            "Search for `NET/` lines in NCCL's log: `NET/Socket` means TCP.",
            "Check whether the job's image contains the NCCL OFI plugin and libfabric.",
        ),
        remedy="Stop the job and restart it with an image that contains the EFA software. Set `NCCL_NET=ofi`, so that NCCL fails "
        "instead of using TCP.",
        for_s=10 * MINUTE,
    ),
)
