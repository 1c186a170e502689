"""The host of a node: network, processors, memory, disks and file systems."""

from __future__ import annotations

from config.design.observability.dashboards.ask import IN, rate
from config.design.observability.dashboards.parts import lines, row, stat, table

HERE = f'{IN},node="$node"'
_BUSY = f'{HERE},mode!="idle"'
WIRES = 'device!~"lo|docker.*|veth.*|cali.*|br-.*|eni.*"'
"""Interfaces that lead out of a node."""
_WIRES = f"{HERE},{WIRES}"

_NETWORK = row(
    "Network",
    lines(
        "EFA by device",
        "Data sent and received by each EFA device: all should carry the same.",
        (f"max by (device) ({rate('efa_tx_bytes', HERE)})", "{{device}} sent"),
        (f"max by (device) ({rate('efa_rx_bytes', HERE)})", "{{device}} received"),
        unit="Bps",
    ),
    lines(
        "EFA that goes wrong",
        "Retransmissions, drops and peers that do not answer; an older driver counts less.",
        (f"sum by (device) ({rate('efa_retrans_pkts', HERE)})", "{{device}} retransmitted"),
        (f"sum by (device) ({rate('efa_rx_drops', HERE)})", "{{device}} dropped"),
        (f"sum by (device) ({rate('efa_unresponsive_remote_events', HERE)})", "{{device}} no answer"),
        (f"sum by (device) ({rate('efa_rdma_read_wr_err', HERE)})", "{{device}} read failed"),
        (f"sum by (device) ({rate('efa_rdma_write_wr_err', HERE)})", "{{device}} write failed"),
    ),
    lines(
        "Ethernet by interface",
        "Data over TCP/IP: files and control. A job's collectives do not belong here.",
        (f"max by (device) ({rate('node_network_sent', _WIRES)})", "{{device}} sent"),
        (f"max by (device) ({rate('node_network_received', _WIRES)})", "{{device}} received"),
        unit="Bps",
    ),
    width=8,
)

_HOST = row(
    "Host",
    lines(
        "Processors",
        "How busy the processors are, by what they do.",
        (f"avg by (mode) ({rate('node_cpu', _BUSY)})", "{{mode}}"),
        unit="percentunit",
    ),
    lines(
        "Memory",
        "Memory in use, of what the node has.",
        (f"max(<node_memory_total>{{{HERE}}} - <node_memory_available>{{{HERE}}})", "used"),
        (f"max(<node_memory_total>{{{HERE}}})", "there"),
        unit="bytes",
    ),
    lines(
        "Disks",
        "The share of each local file system that is used.",
        (
            f'1 - min by (mountpoint) (<node_disk_available>{{{HERE},fstype!~"tmpfs|overlay"}} / '
            f'<node_disk_size>{{{HERE},fstype!~"tmpfs|overlay"}})',
            "{{mountpoint}}",
        ),
        unit="percentunit",
    ),
    width=8,
)

_STORAGE = row(
    "File systems",
    table(
        "Lustre as the node sees it",
        "Whether each file system answers here.",
        (f"max by (file_system, state) (<lustre_healthy>{{{HERE}}})", "Answers"),
        columns=("file_system", "state"),
        mappings={"1": "yes", "0": "no", "-1": "unknown"},
    ),
    stat(
        "EFA interfaces of Lustre",
        "EFA interfaces that the Lustre client uses, and those that it should use.",
        (f"max by (kind) (<lustre_efa_interfaces>{{{HERE}}})", "{{kind}}"),
    ),
    table(
        "Disks that are read-only",
        "File systems that the kernel does not write to any more.",
        (
            f'max by (device, mountpoint) (<node_disk_read_only>{{{HERE},fstype=~"ext4|xfs|lustre"}}) > 0',
            "Read-only",
        ),
        columns=("device", "mountpoint"),
        mappings={"1": "yes"},
    ),
    width=8,
)

HOST_ROWS = (_NETWORK, _HOST, _STORAGE)
"""Rows about a node."""
