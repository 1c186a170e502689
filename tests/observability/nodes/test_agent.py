"""The agent's configuration in Prometheus, and the samples that it sends."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.design.observability.collection.slurm_agent import AgentSettings, agent_text
from config.profile.observability.metrics import (
    Authentication,
    NoAuthentication,
    SecretAuthentication,
    Sigv4Authentication,
)
from tests.programs import needed

PAGE = """# TYPE node_boot_time_seconds gauge
node_boot_time_seconds 5
# TYPE slurm_nodes_idle gauge
slurm_nodes_idle 7
# TYPE slurm_node_drain_reason_info gauge
slurm_node_drain_reason_info{node="train-9",reason="gone"} 1
# TYPE DCGM_FI_DEV_GPU_TEMP gauge
DCGM_FI_DEV_GPU_TEMP{gpu="0",Hostname="localhost",hpc_job="42"} 40
# TYPE go_goroutines gauge
go_goroutines 9
"""
ARN = "arn:aws:secretsmanager:us-west-2:123456789012:secret:metrics-AbCdEf"
FACTS = {
    "NODE": "train-1",
    "INSTANCE_TYPE": "p5.48xlarge",
    "GROUP": "train",
    "URL": "http://127.0.0.1:9/api/v1/write",
    "USER": "team",
    "CONTROLLER": "10.0.0.5:6817",
    "FILE_SYSTEMS": "fs-0123456789abcdef0|fs-0123456789abcdef1",
}


def settings(authentication: Authentication | None = None, *, native: bool = False) -> AgentSettings:
    return AgentSettings(
        cluster="mine",
        region="us-west-2",
        interval_s=15,
        authentication=authentication or NoAuthentication(kind="none"),
        application_port=9464,
        gpus=True,
        slurm="slurm-native" if native else "slurm-exporter",
        fsx=True,
    )


def filled(text: str, **facts: str) -> str:
    """Return the configuration with a node's values, as the node's awk script writes it."""
    return re.sub(r"@([A-Z_]+)@", lambda found: {**FACTS, **facts}[found[1]], text)


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize(
    "authentication",
    [
        NoAuthentication(kind="none"),
        Sigv4Authentication(kind="sigv4"),
        Sigv4Authentication(kind="sigv4", region="eu-west-1"),
        SecretAuthentication(kind="secret", secret_arn=ARN),
    ],
    ids=lambda found: found.kind,
)
def test_prometheus_accepts_the_configuration(
    authentication: Authentication, native: bool, tmp_path: Path
) -> None:
    text = filled(agent_text(settings(authentication, native=native)))
    file = tmp_path / "agent.yml"
    # promtool opens the file with the password
    password = tmp_path / "password"
    password.write_text("secret")
    file.write_text(re.sub(r"/run/credentials/[^\"]*", str(password), text))
    run = subprocess.run(
        [str(needed("promtool")), "check", "config", "--agent", str(file)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr


def test_every_job_is_one_line_that_says_which_nodes_it_is_for() -> None:
    lines = [line for line in agent_text(settings()).splitlines() if line.startswith("- ")]
    where = [line.rpartition(" # ")[2] for line in lines]
    assert where == ["all nodes", "nodes with GPUs", "nodes with GPUs", "one node", "one node"]
    names = [job["job_name"] for job in yaml.safe_load(agent_text(settings()))["scrape_configs"]]
    assert names == ["node", "dcgm", "application", "slurm", "fsx"]


def test_slurms_pages_are_distinguished_and_those_with_a_series_for_each_user_are_not_read() -> None:
    jobs = yaml.safe_load(agent_text(settings(native=True)))["scrape_configs"]
    (slurm,) = [job for job in jobs if job["job_name"] == "slurm"]
    labels = [target["labels"] for target in slurm["static_configs"]]
    assert len({each["instance"] for each in labels}) == len(labels)
    assert [each["__metrics_path__"] for each in labels] == [
        "/metrics/jobs",
        "/metrics/nodes",
        "/metrics/partitions",
        "/metrics/scheduler",
    ]
    assert slurm["scrape_interval"] == "60s"


def test_no_scrape_lasts_longer_than_its_interval() -> None:
    for interval_s in (15, 30, 300):
        text = agent_text(AgentSettings(**{**_fields(settings()), "interval_s": interval_s}))
        found = yaml.safe_load(text)
        for job in (found["global"], *found["scrape_configs"]):
            every = int(job.get("scrape_interval", f"{interval_s}s")[:-1])
            assert int(job.get("scrape_timeout", "10s")[:-1]) <= every


def _fields(found: AgentSettings) -> dict[str, Any]:
    return {name: getattr(found, name) for name in AgentSettings.__dataclass_fields__}


class Exporter(BaseHTTPRequestHandler):
    """All exporters of a node: a server with one page at each path."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, format: str, *arguments: object) -> None:
        pass


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@contextmanager
def prometheus(folder: Path, config: str, *options: str) -> Iterator[int]:
    """Run a Prometheus with a configuration, and yield its port."""
    folder.mkdir()
    (folder / "prometheus.yml").write_text(config)
    port = free_port()
    command = [
        str(needed("prometheus")),
        f"--config.file={folder / 'prometheus.yml'}",
        f"--web.listen-address=127.0.0.1:{port}",
        *options,
    ]
    with (folder / "log").open("w") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            yield port
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], list[dict[str, str]]]]:
    """Return the labels of the series that an agent sends to a second Prometheus."""
    folder = tmp_path_factory.mktemp("agent")
    with ThreadingHTTPServer(("127.0.0.1", 0), Exporter) as exporter:
        threading.Thread(target=exporter.serve_forever, args=(0.01,), daemon=True).start()
        receiver = prometheus(
            folder / "receiver",
            "global: {}\n",
            "--web.enable-remote-write-receiver",
            f"--storage.tsdb.path={folder / 'tsdb'}",
        )
        with receiver as port:
            text = filled(agent_text(settings()), URL=f"http://127.0.0.1:{port}/api/v1/write")
            text = re.sub(r'"127\.0\.0\.1:\d+"', f'"127.0.0.1:{exporter.server_port}"', text)
            text = re.sub(r'"(scrape_(?:interval|timeout))": "\d+s"', r'"\1": "1s"', text)
            text = text.replace('"batch_send_deadline": "5s"', '"batch_send_deadline": "100ms"')
            agent = prometheus(
                folder / "sender", text, "--enable-feature=agent", f"--storage.agent.path={folder / 'wal'}"
            )
            with agent:
                _wait_for(port, 'count(up{job=~"node|dcgm|application|slurm|fsx"} == 1) == 5')
                yield lambda query: _asked(port, query)
        exporter.shutdown()


def _asked(port: int, query: str) -> list[dict[str, str]]:
    url = f"http://127.0.0.1:{port}/api/v1/query?query={urllib.parse.quote(query)}"
    with urllib.request.urlopen(url) as answer:
        return [found["metric"] for found in json.load(answer)["data"]["result"]]


def _wait_for(port: int, query: str) -> None:
    for _ in range(300):
        try:
            if _asked(port, query):
                return
        except OSError:
            pass
        time.sleep(0.1)
    pytest.fail(f"nothing came for {query}")


NODE = {"cluster": "mine", "node": "train-1", "instance_type": "p5.48xlarge", "group": "train"}


@pytest.mark.long
def test_obs_03_series_of_a_node_arrive_under_its_name_whatever_the_exporter_calls_it(
    ask: Callable[[str], list[dict[str, str]]],
) -> None:
    (found,) = ask('DCGM_FI_DEV_GPU_TEMP{job="dcgm"}')
    assert NODE.items() <= found.items()
    assert (found["gpu"], found["hpc_job"], found["instance"]) == ("0", "42", "train-1")
    (found,) = ask('node_boot_time_seconds{job="node"}')
    assert NODE.items() <= found.items()


@pytest.mark.long
def test_obs_20_series_of_the_cluster_are_of_no_node_and_keep_labels_of_their_own(
    ask: Callable[[str], list[dict[str, str]]],
) -> None:
    (idle,) = ask('slurm_nodes_idle{job="slurm"}')
    assert idle == {
        "__name__": "slurm_nodes_idle",
        "cluster": "mine",
        "job": "slurm",
        "instance": "slurm-exporter",
        "replica": "train-1",
    }
    (drained,) = ask('slurm_node_drain_reason_info{job="slurm"}')
    assert drained["node"] == "train-9"


@pytest.mark.long
def test_what_exporters_say_of_themselves_is_not_sent(ask: Callable[[str], list[dict[str, str]]]) -> None:
    assert ask("go_goroutines") == []
    assert len(ask("up")) == 5
