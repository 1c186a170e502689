"""Dashboard rows for the host of a node: network, CPU, memory, disks and file systems."""

from __future__ import annotations

from config.design.observability.dashboards.parts import lines, row, stat, table
from config.design.observability.dashboards.promql import IN, rate

HERE = f'{IN},node="$node"'
_BUSY = f'{HERE},mode!="idle"'
WIRES = 'device!~"lo|docker.*|veth.*|cali.*|br-.*|eni.*"'
"""Matcher for network interfaces that connect to other nodes."""
_WIRES = f"{HERE},{WIRES}"

_NETWORK = row(
    "Network",
    lines(
        "EFA by device",
        "Data that each EFA device sends and receives. All devices should have the same throughput.",
        (f"max by (device) ({rate('efa_tx_bytes', HERE)})", "{{device}} sent"),
        (f"max by (device) ({rate('efa_rx_bytes', HERE)})", "{{device}} received"),
        unit="Bps",
    ),
    lines(
        "EFA errors",
        "Retransmissions, drops and unresponsive peers. Older drivers have fewer counters.",
        (f"sum by (device) ({rate('efa_retrans_pkts', HERE)})", "{{device}} retransmitted"),
        (f"sum by (device) ({rate('efa_rx_drops', HERE)})", "{{device}} dropped"),
        (f"sum by (device) ({rate('efa_unresponsive_remote_events', HERE)})", "{{device}} no response"),
        (f"sum by (device) ({rate('efa_rdma_read_wr_err', HERE)})", "{{device}} read failed"),
        (f"sum by (device) ({rate('efa_rdma_write_wr_err', HERE)})", "{{device}} write failed"),
    ),
    lines(
        "Ethernet by interface",
        "Data over TCP/IP: files and control traffic. Collectives of jobs should use EFA instead.",
        (f"max by (device) ({rate('node_network_sent', _WIRES)})", "{{device}} sent"),
        (f"max by (device) ({rate('node_network_received', _WIRES)})", "{{device}} received"),
        unit="Bps",
    ),
    width=8,
)

_HOST = row(
    "Host",
    lines(
        "CPU",
        "CPU utilization by mode.",
        (f"avg by (mode) ({rate('node_cpu', _BUSY)})", "{{mode}}"),
        unit="percentunit",
    ),
    lines(
        "Memory",
        "Memory in use, and total memory of the node.",
        (f"max(<node_memory_total>{{{HERE}}} - <node_memory_available>{{{HERE}}})", "used"),
        (f"max(<node_memory_total>{{{HERE}}})", "total"),
        unit="bytes",
    ),
    lines(
        "Disks",
        "Used share of each local file system.",
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
        "Lustre on this node",
        "Whether each file system responds on this node.",
        (f"max by (file_system, state) (<lustre_healthy>{{{HERE}}})", "Responds"),
        columns=("file_system", "state"),
        mappings={"1": "yes", "0": "no", "-1": "unknown"},
    ),
    stat(
        "EFA interfaces of Lustre",
        "EFA interfaces that the Lustre client uses, and EFA interfaces that it should use.",
        (f"max by (kind) (<lustre_efa_interfaces>{{{HERE}}})", "{{kind}}"),
    ),
    table(
        "Read-only disks",
        "File systems that the kernel remounted read-only.",
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
"""All rows for the host of a node."""
