"""Prometheus on the loopback interface with synthetic samples."""

from __future__ import annotations

import json
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode


class QueryError(Exception):
    """A query that Prometheus rejects."""


@dataclass(frozen=True, kw_only=True)
class Prometheus:
    """A running server."""

    url: str

    def at(self, query: str, at_s: int) -> list[Any]:
        """Return the series of an instant query."""
        return self._ask("query", query=query, time=at_s)

    def over(self, query: str, start_s: int, end_s: int, step_s: int) -> list[Any]:
        """Return the series of a range query."""
        return self._ask("query_range", query=query, start=start_s, end=end_s, step=step_s)

    def _ask(self, what: str, **parameters: object) -> list[Any]:
        request = urllib.request.Request(f"{self.url}/api/v1/{what}", urlencode(parameters).encode())
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                found: list[Any] = json.load(answer)["data"]["result"]
        except urllib.error.HTTPError as error:
            raise QueryError(json.load(error)["error"]) from error
        return found


@contextmanager
def filled_prometheus(folder: Path, samples: Iterable[str]) -> Iterator[Prometheus]:
    """Start a server with the samples; it stops at the end of the block."""
    data, metrics_file = folder / "data", folder / "samples"
    with metrics_file.open("w", encoding="utf-8") as file:
        for line in samples:
            file.write(line + "\n")
        file.write("# EOF\n")
    made = subprocess.run(
        ["promtool", "tsdb", "create-blocks-from", "openmetrics", "--quiet", str(metrics_file), str(data)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    metrics_file.unlink()
    configuration = folder / "prometheus.yml"
    configuration.write_text("global: {scrape_interval: 1m}\n", encoding="utf-8")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with (folder / "log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [
                "prometheus",
                f"--config.file={configuration}",
                f"--storage.tsdb.path={data}",
                # the samples are not at the current time
                "--storage.tsdb.retention.time=100y",
                f"--web.listen-address=127.0.0.1:{port}",
            ],
            stdout=log,
            stderr=log,
        )
    try:
        found = Prometheus(url=f"http://127.0.0.1:{port}")
        _wait(found.url, process, folder / "log")
        yield found
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(300):
        assert process.poll() is None, log.read_text(encoding="utf-8")
        try:
            with urllib.request.urlopen(f"{url}/-/ready", timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"Prometheus was not ready in time: {log.read_text(encoding='utf-8')}")
