"""The host of a node: network, processors, memory, disks and file systems."""

from __future__ import annotations

from config.design.observability.dashboards.parts import Panel, Query, Row

WIRES = 'device!~"lo|docker.*|veth.*|cali.*|br-.*|eni.*"'
"""Interfaces that lead out of a node."""


def host_rows(where: str) -> tuple[Row, ...]:
    """Rows about a node, `where` being its matchers."""
    return _network(where), _host(where), _storage(where)


def _lines(title: str, description: str, unit: str, *queries: tuple[str, str]) -> Panel:
    return Panel(
        kind="timeseries",
        title=title,
        description=description,
        queries=tuple(Query(expression=expression, legend=legend) for expression, legend in queries),
        unit=unit,
        smallest=0,
        width=8,
    )


def _rate(key: str, matchers: str) -> str:
    return f"rate(<{key}>{{{matchers}}}[$__rate_interval])"


def _network(where: str) -> Row:
    wires = f"{where},{WIRES}"
    return Row(
        title="Network",
        panels=(
            _lines(
                "EFA by device",
                "Data sent and received by each EFA device: all should carry the same.",
                "Bps",
                (f"max by (device) ({_rate('efa_tx_bytes', where)})", "{{device}} sent"),
                (f"max by (device) ({_rate('efa_rx_bytes', where)})", "{{device}} received"),
            ),
            _lines(
                "EFA that goes wrong",
                "Retransmissions, drops and peers that do not answer; an older driver counts less.",
                "short",
                (f"sum by (device) ({_rate('efa_retrans_pkts', where)})", "{{device}} retransmitted"),
                (f"sum by (device) ({_rate('efa_rx_drops', where)})", "{{device}} dropped"),
                (
                    f"sum by (device) ({_rate('efa_unresponsive_remote_events', where)})",
                    "{{device}} no answer",
                ),
                (f"sum by (device) ({_rate('efa_rdma_read_wr_err', where)})", "{{device}} read failed"),
                (f"sum by (device) ({_rate('efa_rdma_write_wr_err', where)})", "{{device}} write failed"),
            ),
            _lines(
                "Ethernet by interface",
                "Data over TCP/IP: files and control. A job's collectives do not belong here.",
                "Bps",
                (f"max by (device) ({_rate('node_network_sent', wires)})", "{{device}} sent"),
                (f"max by (device) ({_rate('node_network_received', wires)})", "{{device}} received"),
            ),
        ),
    )


def _host(where: str) -> Row:
    busy = f'{where},mode!="idle"'
    return Row(
        title="Host",
        panels=(
            _lines(
                "Processors",
                "How busy the processors are, by what they do.",
                "percentunit",
                (f"avg by (mode) ({_rate('node_cpu', busy)})", "{{mode}}"),
            ),
            _lines(
                "Memory",
                "Memory in use, of what the node has.",
                "bytes",
                (f"max(<node_memory_total>{{{where}}} - <node_memory_available>{{{where}}})", "used"),
                (f"max(<node_memory_total>{{{where}}})", "there"),
            ),
            _lines(
                "Disks",
                "The share of each local file system that is used.",
                "percentunit",
                (
                    f'1 - min by (mountpoint) (<node_disk_available>{{{where},fstype!~"tmpfs|overlay"}} / '
                    f'<node_disk_size>{{{where},fstype!~"tmpfs|overlay"}})',
                    "{{mountpoint}}",
                ),
            ),
        ),
    )


def _storage(where: str) -> Row:
    return Row(
        title="File systems",
        panels=(
            Panel(
                kind="table",
                title="Lustre as the node sees it",
                description="Whether each file system answers here.",
                queries=(Query(expression=f"max by (file_system, state) (<lustre_healthy>{{{where}}})"),),
                columns={"file_system": "File system", "state": "State"},
                values=("Answers",),
                mappings={"1": "yes", "0": "no", "-1": "unknown"},
                width=8,
            ),
            Panel(
                kind="stat",
                title="EFA interfaces of Lustre",
                description="EFA interfaces that the Lustre client uses, and those that it should use.",
                queries=(
                    Query(
                        expression=f"max by (kind) (<lustre_efa_interfaces>{{{where}}})", legend="{{kind}}"
                    ),
                ),
                width=8,
            ),
            Panel(
                kind="table",
                title="Disks that are read-only",
                description="File systems that the kernel does not write to any more.",
                queries=(
                    Query(
                        expression=f"max by (device, mountpoint) (<node_disk_read_only>{{{where},"
                        'fstype=~"ext4|xfs|lustre"}) > 0'
                    ),
                ),
                columns={"device": "Device", "mountpoint": "Mounted at"},
                values=("Read-only",),
                mappings={"1": "yes"},
                width=8,
            ),
        ),
    )
