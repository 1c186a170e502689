"""The exporter and the agent, started as by a node's systemd units."""

from __future__ import annotations

import re
import shlex
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest

from tests.nodes.fixtures import MakeNode
from tests.nodes.node import Node, needs_bash
from tests.observability.nodes.test_metrics import UNITS, collecting, keeps
from tests.programs import needed

pytestmark = needs_bash


def arguments(node: Node, name: str) -> list[str]:
    """Return the arguments in a systemd unit."""
    found = re.search(r"^ExecStart=((?:.*\\\n)*.*)$", node.text(UNITS.format(name)), re.M)
    assert found
    return [word.replace("$$", "$") for word in shlex.split(found[1].replace("\\\n", " "))[1:]]


def answer(program: str, flags: list[str], path: str, folder: Path) -> str:
    """Start a program with these arguments on a free port, and return its response."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    flags = [re.sub(r"(listen-address=127\.0\.0\.1):\d+", rf"\1:{port}", word) for word in flags]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen([str(needed(program)), *flags], stdout=log, stderr=log)
    try:
        for _ in range(100):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}") as found:
                    text: str = found.read().decode()
                    return text
            except OSError:
                time.sleep(0.05)
        pytest.fail((folder / "log").read_text())
    finally:
        process.terminate()
        process.wait()


@pytest.mark.long
def test_node_exporter_takes_its_words_and_shows_nothing_of_infiniband(
    make: MakeNode, tmp_path: Path
) -> None:
    node = collecting(make)
    keeps(node)
    flags = [
        word.replace("=/var/lib/node_exporter", f"={node.root}/var/lib/node_exporter")
        for word in arguments(node, "node-exporter")
    ]
    shown = answer("prometheus-node-exporter", flags, "/metrics", tmp_path)
    for name in ("node_boot_time_seconds", "node_cpu_seconds_total", "node_memory_MemTotal_bytes"):
        assert f"\n{name}" in shown
    assert "ultracluster_gpus{" in shown
    assert "node_infiniband" not in shown
    assert not re.search(r'fstype="(lustre|nfs4?|tmpfs|overlay)"', shown)
    assert not re.search(r'device="lo"', shown)


@pytest.mark.long
def test_the_agent_takes_its_words(make: MakeNode, tmp_path: Path) -> None:
    node = collecting(make)
    keeps(node)
    kept = tmp_path / "kept"
    flags = [
        word.replace("=/opt", f"={node.root}/opt").replace("=/var/lib/ultracluster-prometheus", f"={kept}")
        for word in arguments(node, "prometheus")
    ]
    # an option of 3.x, which is a feature flag in Debian's 2.42
    flags = ["--enable-feature=agent" if word == "--agent" else word for word in flags]
    assert "Ready" in answer("prometheus", flags, "/-/ready", tmp_path)
    assert (kept / "wal").is_dir()
