"""The host of a node: network, processors, memory, disks and file systems."""

from __future__ import annotations

from config.design.observability.dashboards.ask import rate
from config.design.observability.dashboards.parts import Row, lines, row, stat, table

WIRES = 'device!~"lo|docker.*|veth.*|cali.*|br-.*|eni.*"'
"""Interfaces that lead out of a node."""


def host_rows(where: str) -> tuple[Row, ...]:
    """Rows about a node, `where` being its matchers."""
    return _network(where), _host(where), _storage(where)


def _network(where: str) -> Row:
    wires = f"{where},{WIRES}"
    return row(
        "Network",
        lines(
            "EFA by device",
            "Data sent and received by each EFA device: all should carry the same.",
            (f"max by (device) ({rate('efa_tx_bytes', where)})", "{{device}} sent"),
            (f"max by (device) ({rate('efa_rx_bytes', where)})", "{{device}} received"),
            unit="Bps",
        ),
        lines(
            "EFA that goes wrong",
            "Retransmissions, drops and peers that do not answer; an older driver counts less.",
            (f"sum by (device) ({rate('efa_retrans_pkts', where)})", "{{device}} retransmitted"),
            (f"sum by (device) ({rate('efa_rx_drops', where)})", "{{device}} dropped"),
            (
                f"sum by (device) ({rate('efa_unresponsive_remote_events', where)})",
                "{{device}} no answer",
            ),
            (f"sum by (device) ({rate('efa_rdma_read_wr_err', where)})", "{{device}} read failed"),
            (f"sum by (device) ({rate('efa_rdma_write_wr_err', where)})", "{{device}} write failed"),
        ),
        lines(
            "Ethernet by interface",
            "Data over TCP/IP: files and control. A job's collectives do not belong here.",
            (f"max by (device) ({rate('node_network_sent', wires)})", "{{device}} sent"),
            (f"max by (device) ({rate('node_network_received', wires)})", "{{device}} received"),
            unit="Bps",
        ),
        width=8,
    )


def _host(where: str) -> Row:
    busy = f'{where},mode!="idle"'
    return row(
        "Host",
        lines(
            "Processors",
            "How busy the processors are, by what they do.",
            (f"avg by (mode) ({rate('node_cpu', busy)})", "{{mode}}"),
            unit="percentunit",
        ),
        lines(
            "Memory",
            "Memory in use, of what the node has.",
            (f"max(<node_memory_total>{{{where}}} - <node_memory_available>{{{where}}})", "used"),
            (f"max(<node_memory_total>{{{where}}})", "there"),
            unit="bytes",
        ),
        lines(
            "Disks",
            "The share of each local file system that is used.",
            (
                f'1 - min by (mountpoint) (<node_disk_available>{{{where},fstype!~"tmpfs|overlay"}} / '
                f'<node_disk_size>{{{where},fstype!~"tmpfs|overlay"}})',
                "{{mountpoint}}",
            ),
            unit="percentunit",
        ),
        width=8,
    )


def _storage(where: str) -> Row:
    return row(
        "File systems",
        table(
            "Lustre as the node sees it",
            "Whether each file system answers here.",
            (f"max by (file_system, state) (<lustre_healthy>{{{where}}})", "Answers"),
            columns=("file_system", "state"),
            mappings={"1": "yes", "0": "no", "-1": "unknown"},
        ),
        stat(
            "EFA interfaces of Lustre",
            "EFA interfaces that the Lustre client uses, and those that it should use.",
            (f"max by (kind) (<lustre_efa_interfaces>{{{where}}})", "{{kind}}"),
        ),
        table(
            "Disks that are read-only",
            "File systems that the kernel does not write to any more.",
            (
                f"max by (device, mountpoint) (<node_disk_read_only>{{{where},"
                'fstype=~"ext4|xfs|lustre"}) > 0',
                "Read-only",
            ),
            columns=("device", "mountpoint"),
            mappings={"1": "yes"},
        ),
        width=8,
    )
