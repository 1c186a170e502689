"""EFA: devices that are gone, packets that are lost, and training that goes around it.

Limits are those at which EKS's node monitoring agent says EFAErrorMetric.
"""

from __future__ import annotations

from functools import partial

from config.design.observability.alerts.model import MINUTE, NODE, Alert, Threshold

_NMA = "aws/eks-node-monitoring-agent:monitors/networking/efa/efa.go@51af549"
_DEVICE = f"{NODE}, device"
_PLACE = "{{ $labels.node }}: EFA {{ $labels.device }}"
_DRIVER = "the EFA driver's version: older ones have no such counter, and then there is no such alert"
_SENT = f"sum by ({NODE}) (rate(<efa_tx_bytes>[5m]))"
_alert = partial(Alert, family="efa")


def _rdma(way: str) -> str:
    """What goes by RDMA; a device or a driver that has none of one way shows no counter of it."""
    return f"sum by ({NODE}) (rate(<efa_rdma_{way}_bytes>[5m]))"


def _rate(
    name: str, key: str, limit: float, unit: str, summary: str, meaning: str, look: str = _DRIVER
) -> Alert:
    return _alert(
        name=name,
        asks=f"max by ({_DEVICE}) (rate(<{key}>[5m])) > $threshold",
        threshold=Threshold(value=limit, unit=unit, source=_NMA),
        summary=_PLACE + ": " + summary,
        meaning=meaning,
        look=("`rdma statistic show` on the node and on those that it talks to", look),
        cure="Where one node has it, take it out of jobs and report it; where many have it, report the network.",
    )


ALERTS = (
    _alert(
        name="EfaMissing",
        severity="critical",
        asks="ultracluster:expected_efa_devices"
        " - (ultracluster:seen_efa_devices or ultracluster:expected_efa_devices * 0) > 0",
        summary="{{ $labels.node }}: {{ $value }} EFA devices are missing",
        meaning="The node has fewer EFA devices than its type and its layout give it: its share of bandwidth is lost.",
        look=(
            "`fi_info -p efa` and `ls /sys/class/infiniband`",
            "the interfaces that the instance was launched with",
        ),
        cure="Reboot the node; when a device is still missing, launch it anew.",
    ),
    _rate(
        "EfaRetransmits",
        "efa_retrans_pkts",
        1000,
        "packets a second",
        "many packets are sent again",
        "The path to a neighbour loses packets; collectives slow down before they fail.",
    ),
    _rate(
        "EfaRetransmittedBytes",
        "efa_retrans_bytes",
        1_000_000,
        "bytes a second",
        "much is sent again",
        "The path to a neighbour loses packets; collectives slow down before they fail.",
    ),
    _rate(
        "EfaRetransmitTimeouts",
        "efa_retrans_timeout_events",
        100,
        "timeouts a second",
        "answers do not come in time",
        "A neighbour does not answer in time.",
    ),
    _rate(
        "EfaImpaired",
        "efa_impaired_remote_conn_events",
        100,
        "events a second",
        "connections are impaired",
        "Connections to a neighbour run below what they should.",
    ),
    _rate(
        "EfaUnresponsive",
        "efa_unresponsive_remote_events",
        100,
        "events a second",
        "a neighbour does not answer",
        "A neighbour is gone, or its EFA device is.",
        "which node is gone: NodeLost and EfaMissing",
    ),
    _rate(
        "EfaRdmaReadErrors",
        "efa_rdma_read_wr_err",
        100,
        "errors a second",
        "RDMA reads fail",
        "Reads from a neighbour's memory fail.",
        "what NCCL says in the job's log",
    ),
    _rate(
        "EfaRdmaWriteErrors",
        "efa_rdma_write_wr_err",
        100,
        "errors a second",
        "RDMA writes fail",
        "Writes to a neighbour's memory fail.",
        "what NCCL says in the job's log",
    ),
    _rate(
        "EfaReceiveDrops",
        "efa_rx_drops",
        100,
        "packets a second",
        "packets are dropped on receipt",
        "The node does not take packets as fast as they come.",
        "whether programs of the job are stuck",
    ),
    _alert(
        name="TrainingOverTcp",
        severity="critical",
        # a job of one node has no traffic, and one that writes a checkpoint has it in one direction: only busy
        # GPUs with much TCP both ways and no EFA are a job that fell back
        asks=f"{_SENT} + ({_rdma('read')} or {_SENT} * 0) + ({_rdma('write')} or {_SENT} * 0) < 1e6"
        f' and sum by ({NODE}) (rate(<node_network_received>{{device=~"(en[ps]|eth).*"}}[5m])) > $threshold * 1e6'
        f' and sum by ({NODE}) (rate(<node_network_sent>{{device=~"(en[ps]|eth).*"}}[5m])) > $threshold * 1e6'
        f" and avg by ({NODE}) (<gpu_utilization>) > 50",
        threshold=Threshold(value=500, unit="megabytes a second each way"),
        summary="{{ $labels.node }}: a job talks over TCP, and not over EFA",
        meaning="NCCL fell back to sockets: training runs, at a fraction of its speed.",
        look=(
            "`NET/` lines in NCCL's log: `NET/Socket` is TCP",
            "whether the job's image has the OFI plugin and libfabric",
        ),
        cure="Stop the job and start it with an image that has EFA's parts; set `NCCL_NET=ofi`, so that it fails instead.",
        for_s=10 * MINUTE,
    ),
)
