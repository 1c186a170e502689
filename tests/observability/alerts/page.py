"""Server that emulates the exporters of a cluster of sixteen nodes."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NODES = tuple(f"train-{number}" for number in range(1, 17))
GPUS = 8
EFA = 8


@dataclass
class Faults:
    """Faults: XIDs, lost GPUs, nodes whose Lustre uses TCP, and the used space of a target."""

    xids: dict[tuple[str, int], int] = field(default_factory=dict)
    lost: set[tuple[str, int]] = field(default_factory=set)
    over_tcp: set[str] = field(default_factory=set)
    fullest: float = 40.0


def dcgm(node: str, faults: Faults) -> Iterator[str]:
    """Return a page of DCGM's exporter."""
    for gpu in range(GPUS):
        if (node, gpu) in faults.lost:
            continue
        own = f'gpu="{gpu}",UUID="GPU-{node}-{gpu}"'
        yield f"DCGM_FI_DEV_GPU_TEMP{{{own}}} 55"
        yield f"DCGM_FI_DEV_GPU_UTIL{{{own}}} 98"
        yield f"DCGM_FI_DEV_FB_USED{{{own}}} 150000"
        yield f"DCGM_FI_DEV_ROW_REMAP_FAILURE{{{own}}} 0"
        yield f"DCGM_FI_DEV_ROW_REMAP_PENDING{{{own}}} 0"
        yield f"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{{{own}}} 2"
        if (node, gpu) in faults.xids:
            code = faults.xids[node, gpu]
            yield f'DCGM_EXP_XID_ERRORS_COUNT{{{own},xid="{code}",window_size_in_ms="300000"}} 1'


def host(node: str, faults: Faults) -> Iterator[str]:
    """Return a page of node_exporter with our textfiles."""
    bad = node in faults.over_tcp
    state, healthy = ("failed", 0) if bad else ("ok", 1)
    yield f'ultracluster_lustre_healthy{{file_system="scratch",state="{state}"}} {healthy}'
    yield f'ultracluster_lustre_efa_interfaces{{kind="attached"}} {0 if bad else EFA}'
    yield f'ultracluster_lustre_efa_interfaces{{kind="wanted"}} {EFA}'
    lost = sum(1 for name, _ in faults.lost if name == node)
    yield f'ultracluster_gpus{{kind="present"}} {GPUS - lost}'
    yield f'ultracluster_gpus{{kind="wanted"}} {GPUS}'
    yield f"ultracluster_gpu_problems {lost}"
    for device in range(EFA):
        yield f'node_amazonefa_info{{device="rdmap{device}"}} 1'
        yield f'node_amazonefa_rx_drops{{device="rdmap{device}",port="1"}} 12345'


def fsx(faults: Faults) -> Iterator[str]:
    """Return a page of YACE with four targets; the third can be full."""
    for target in range(4):
        used = faults.fullest if target == 2 else 40.0
        labels = f'dimension_FileSystemId="fs-0123456789abcdef0",dimension_StorageTargetId="OST{target:04d}"'
        yield f"aws_fsx_storage_capacity_utilization_maximum{{{labels}}} {used}"


class Exporters:
    """All exporters of the cluster on one port: /dcgm/NODE, /node/NODE and /fsx."""

    def __init__(self) -> None:
        self.faults = Faults()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def address(self) -> str:
        """Return host and port."""
        return f"127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        """Stop the server."""
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def page(self, path: str) -> str | None:
        """Return the page of a path; None if it does not exist."""
        kind, _, node = path.strip("/").partition("/")
        lines: Iterable[str]
        match kind:
            case "dcgm":
                lines = dcgm(node, self.faults)
            case "node":
                lines = host(node, self.faults)
            case "fsx":
                lines = fsx(self.faults)
            case _:
                return None
        return "\n".join(lines) + "\n"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                text = outer.page(self.path)
                self.send_response(404 if text is None else 200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.end_headers()
                self.wfile.write((text or "").encode())

            def log_message(self, format: str, *args: Any) -> None:
                """Log nothing in tests."""

        return Handler
