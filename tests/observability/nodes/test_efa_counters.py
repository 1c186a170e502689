"""EFA counters and kernel log faults as textfiles for node_exporter."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.catalog.observability.metrics import metrics
from config.design.nodes.scripts import ENTRIES
from tests.nodes.fixtures import MakeNode, prepared
from tests.nodes.node import Node, needs_bash
from tests.observability.nodes.collecting import TEXTFILES, collecting_bundle
from tests.programs import needed

pytestmark = needs_bash
KINDS = sorted(ENTRIES)
EFA = f"{TEXTFILES}/ultracluster_efa.prom"
XIDS = f"{TEXTFILES}/ultracluster_xids.prom"
ROWS = {row.name: row for row in metrics().rows if row.name.startswith("node_amazonefa_")}
COUNTERS = sorted(name.removeprefix("node_amazonefa_") for name in ROWS if not name.endswith("_info"))
NEWER = {"retrans_bytes", "retrans_pkts", "retrans_timeout_events"} | {
    "impaired_remote_conn_events",
    "unresponsive_remote_events",
}
XID = "NVRM: Xid (PCI:0000:53:00): {}, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."


@pytest.fixture
def node(make: MakeNode) -> Node:
    """A HyperPod GPU node with Slurm and an installed bundle."""
    return installed(make)


def installed(make: MakeNode, kind: str = "hyperpod-slurm") -> Node:
    made = prepared(make(collecting_bundle(kind)))
    made.has("parameters/lustre-dns", "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com")
    made.has("parameters/lustre-mount", "abcdef")
    run = made.runs()
    assert run.returncode == 0, run.stdout + run.stderr
    return made


def shows(node: Node, device: str = "rdmap79s0", without: frozenset[str] = frozenset()) -> None:
    """Write the counters of a device."""
    for number, name in enumerate(COUNTERS):
        if name not in without:
            node.file(f"sys/class/infiniband/{device}/ports/1/hw_counters/{name}", f"{number + 1}\n")


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", KINDS)
def test_obs_17_every_control_plane_writes_the_counters_of_efa(kind: str, make: MakeNode) -> None:
    node = installed(make, kind)
    shows(node)
    assert node.runs("metrics.sh", "files").returncode == 0
    assert 'node_amazonefa_rx_drops{device="rdmap79s0",port="1"}' in node.text(EFA)
    timer = node.text("etc/systemd/system/ultracluster-metrics-files.timer")
    assert "OnUnitActiveSec=30s" in timer
    assert "systemctl enable --now ultracluster-metrics-files.timer" in node.calls("systemctl")


def test_obs_16_exactly_the_23_counters_that_are_filled_have_series(node: Node) -> None:
    shows(node)
    node.file("sys/class/infiniband/rdmap79s0/ports/1/hw_counters/alloc_pd_err", "1\n")
    node.runs("metrics.sh", "files")
    assert len(COUNTERS) == 23
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", node.text(EFA), re.M))
    assert types == {name: row.type for name, row in ROWS.items()}


@pytest.mark.long
def test_obs_16_a_counter_that_the_driver_does_not_show_is_absent_and_never_zero(node: Node) -> None:
    shows(node, without=frozenset(NEWER))
    node.runs("metrics.sh", "files")
    assert not [name for name in NEWER if name in node.text(EFA)]
    assert 'node_amazonefa_tx_bytes{device="rdmap79s0",port="1"} ' in node.text(EFA)


@pytest.mark.long
def test_devices_of_other_vendors_are_left_out_and_each_of_amazons_is_named(node: Node) -> None:
    shows(node)
    shows(node, "mlx5_0")
    node.runs("metrics.sh", "files")
    text = node.text(EFA)
    assert "mlx5_0" not in text
    assert len(re.findall(r"^node_amazonefa_info\{device=\"rdmap\d+s0\"\} 1$", text, re.M)) == 8


@pytest.mark.long
def test_a_node_without_efa_has_no_file_of_it(node: Node) -> None:
    shows(node)
    node.runs("metrics.sh", "files")
    for file in (node.root / "sys/class/infiniband").glob("*/device/vendor"):
        file.unlink()
    assert node.runs("metrics.sh", "files").returncode == 0
    assert not (node.root / EFA).exists()


@pytest.mark.long
def test_files_that_do_not_change_are_still_seen_to_be_kept(node: Node) -> None:
    shows(node)
    node.runs("metrics.sh", "files")
    file = node.root / EFA
    os.utime(file, (0, 0))
    node.runs("metrics.sh", "files")
    assert file.stat().st_mtime > 0
    assert [each.name for each in file.parent.iterdir() if each.suffix != ".prom"] == []


@pytest.mark.long
def test_a_file_that_cannot_be_written_is_seen_to_be_old_and_leaves_no_parts(node: Node) -> None:
    shows(node)
    node.runs("metrics.sh", "files")
    file = node.root / EFA
    os.utime(file, (0, 0))
    shows(node, "rdmap80s0")
    # a full disk: the file cannot be replaced
    (node.bin / "mv").write_text("#!/bin/sh\nexit 1\n")
    (node.bin / "mv").chmod(0o755)
    assert node.runs("metrics.sh", "files").returncode == 0
    assert (file.stat().st_mtime, 'device="rdmap80s0",port' in node.text(EFA)) == (0, False)
    assert [each.name for each in file.parent.iterdir() if each.suffix != ".prom"] == []


def test_obs_02_xids_of_the_kernels_log_are_counted_since_boot(node: Node) -> None:
    lines = [XID.format(79), "usb 1-1: new device", XID.format(79), XID.format(31)]
    lines.append("nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 28006, Non-fatal, Link 46 MC TS crumbstore")
    node.has("kernel-log", "\n".join(lines) + "\n")
    for _ in range(2):
        assert node.runs("metrics.sh", "files").returncode == 0
    assert node.text(XIDS).splitlines() == [
        "# TYPE ultracluster_kernel_xids_total counter",
        'ultracluster_kernel_xids_total{pci="0000:53:00",xid="31"} 1',
        'ultracluster_kernel_xids_total{pci="0000:53:00",xid="79"} 2',
        "# TYPE ultracluster_kernel_sxids_total counter",
        'ultracluster_kernel_sxids_total{pci="0000:c1:00.0",sxid="28006"} 1',
    ]


def test_obs_02_only_what_is_new_in_the_log_is_read_again(node: Node) -> None:
    node.has("kernel-log", XID.format(62) + "\n")
    node.runs("metrics.sh", "files")
    node.has("kernel-log", XID.format(62) + "\n" + XID.format(62) + "\nother\n")
    node.runs("metrics.sh", "files")
    node.runs("metrics.sh", "files")
    assert 'xid="62"} 2\n' in node.text(XIDS)
    assert [call for call in node.calls("journalctl") if "--after-cursor=s=3" in call]


@pytest.mark.long
def test_a_log_that_cannot_be_read_takes_nothing_back(node: Node) -> None:
    node.has("kernel-log", XID.format(62) + "\n")
    node.runs("metrics.sh", "files")
    node.has("journal-fails")
    assert node.runs("metrics.sh", "files").returncode == 0
    node.lacks("journal-fails")
    node.runs("metrics.sh", "files")
    assert 'xid="62"} 1\n' in node.text(XIDS)


@pytest.mark.long
def test_a_log_that_is_read_by_half_is_not_counted_twice(node: Node) -> None:
    node.has("kernel-log", XID.format(62) + "\n")
    node.has("journal-breaks")
    node.runs("metrics.sh", "files")
    node.lacks("journal-breaks")
    node.runs("metrics.sh", "files")
    assert 'xid="62"} 1\n' in node.text(XIDS)


@pytest.fixture
def shown(node: Node, tmp_path: Path) -> Iterator[str]:
    """Return the metrics that node_exporter reads from a node's textfiles."""
    shows(node, without=frozenset(NEWER))
    node.has("kernel-log", XID.format(79) + "\n")
    node.runs("metrics.sh", "files")
    program = needed("prometheus-node-exporter")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        str(program),
        f"--web.listen-address=127.0.0.1:{port}",
        "--collector.disable-defaults",
        "--collector.textfile",
        f"--collector.textfile.directory={node.root / TEXTFILES}",
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield _answer(f"http://127.0.0.1:{port}/metrics")
        finally:
            process.terminate()


def _answer(url: str) -> str:
    for _ in range(100):
        try:
            with urllib.request.urlopen(url) as found:
                text: str = found.read().decode()
                return text
        except OSError:
            time.sleep(0.05)
    pytest.fail(f"{url} does not answer")


def test_node_exporter_shows_the_files_with_the_types_of_the_metric_table(shown: str) -> None:
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", shown, re.M))
    expected = {
        name: row.type for name, row in ROWS.items() if name.removeprefix("node_amazonefa_") not in NEWER
    }
    assert expected.items() <= types.items()
    assert types["ultracluster_kernel_xids_total"] == "counter"
    assert 'ultracluster_kernel_xids_total{pci="0000:53:00",xid="79"} 1' in shown
    assert "node_textfile_scrape_error 0" in shown
