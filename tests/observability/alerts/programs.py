"""Prometheus with our rules and Alertmanager with our routes, on the loopback interface."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from config.design.observability.alerts.alertmanager import plan_alert_manager
from config.design.observability.alerts.plan import plan_alerts
from config.design.observability.alerts.text import rules_text
from config.design.observability.model import Measured, RuleGroup
from config.profile.observability.alerts import Alerts
from tests.observability.alerts.page import NODES
from tests.programs import needed

WAIT_S = 5
TOPIC_ARN = "arn:aws:sns:us-west-2:123456789012:alerts"


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def quick(groups: Sequence[RuleGroup]) -> tuple[RuleGroup, ...]:
    """Return the rules with durations in seconds; one late scrape does not fire an alert."""
    return tuple(
        replace(
            group,
            interval_s=1,
            rules=tuple(
                replace(rule, for_s=min(rule.for_s, WAIT_S), keep_s=0, expression=_shorter(rule.expression))
                for rule in group.rules
            ),
        )
        for group in groups
    )


def _shorter(expression: str) -> str:
    """Return an expression with ranges in seconds instead of minutes, so that tests are fast."""
    for long, short in (
        ("[10m]", "[10s]"),
        ("[5m]", "[10s]"),
        ("[15m]", "[15s]"),
        ("offset 10m", "offset 10s"),
    ):
        expression = expression.replace(long, short)
    return expression


def prometheus_config(measured: Measured, exporters: str, alertmanager: str) -> dict[str, Any]:
    """Return targets with the labels of the collection."""
    (nodes,) = measured.gpu_nodes

    def of_node(job: str, node: str) -> dict[str, Any]:
        labels = {
            "cluster": measured.cluster,
            "node": node,
            "instance_type": nodes.instance_type,
            "group": "train",
            "__metrics_path__": f"/{job}/{node}",
        }
        return {"targets": [exporters], "labels": labels}

    fsx = {
        "targets": [exporters],
        "labels": {"cluster": measured.cluster, "__metrics_path__": "/fsx"},
    }
    jobs = {job: [of_node(job, node) for node in NODES] for job in ("dcgm", "node")}
    return {
        "global": {"scrape_interval": "2s", "scrape_timeout": "2s", "evaluation_interval": "1s"},
        "rule_files": ["rules.yml"],
        "alerting": {"alertmanagers": [{"static_configs": [{"targets": [alertmanager]}]}]},
        "scrape_configs": [
            {"job_name": job, "static_configs": targets} for job, targets in {**jobs, "fsx": [fsx]}.items()
        ],
    }


def alertmanager_config(wanted: Alerts, topic_url: str) -> str:
    """Return our definition with the URL of the topic and short intervals."""
    plan = plan_alert_manager(wanted, region="us-west-2", topic_arns=[TOPIC_ARN])
    assert plan is not None
    config: dict[str, Any] = yaml.safe_load(plan.unwrapped())
    config["route"] |= {"group_wait": "4s", "group_interval": "2s"}
    for receiver in config["receivers"]:
        for sns in receiver.get("sns_configs", ()):
            sns["api_url"] = topic_url
            sns["sigv4"] |= {"access_key": "test", "secret_key": "test"}
    return yaml.safe_dump(config, sort_keys=False)


@contextlib.contextmanager
def running(
    folder: Path, measured: Measured, exporters: str, topic_url: str, wanted: Alerts
) -> Iterator[None]:
    """Run both programs."""
    ports = {"prometheus": free_port(), "alertmanager": free_port()}
    address = f"127.0.0.1:{ports['alertmanager']}"
    (folder / "rules.yml").write_text(rules_text(quick(plan_alerts(measured, wanted).groups)))
    config = prometheus_config(measured, exporters, address)
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    (folder / "alertmanager.yml").write_text(alertmanager_config(wanted, topic_url))
    commands = {
        "alertmanager": _alertmanager(folder, address),
        "prometheus": [
            str(needed("prometheus")),
            f"--config.file={folder}/prometheus.yml",
            f"--storage.tsdb.path={folder}/data",
            f"--web.listen-address=127.0.0.1:{ports['prometheus']}",
            # a series that disappears must end at once, so that tests do not wait
            "--query.lookback-delta=10s",
            "--rules.alert.resend-delay=1s",
        ],
    }
    with contextlib.ExitStack() as stack:
        for name, command in commands.items():
            stack.enter_context(_program(name, command, folder))
        for port in ports.values():
            _ready(port)
        yield


@contextlib.contextmanager
def alertmanager(folder: Path, topic_url: str, wanted: Alerts) -> Iterator[str]:
    """Run only Alertmanager, and yield the URL that accepts alerts."""
    address = f"127.0.0.1:{free_port()}"
    (folder / "alertmanager.yml").write_text(alertmanager_config(wanted, topic_url))
    with _program("alertmanager", _alertmanager(folder, address), folder):
        _ready(int(address.rpartition(":")[2]))
        yield f"http://{address}/api/v2/alerts"


def _alertmanager(folder: Path, address: str) -> list[str]:
    return [
        str(needed("prometheus-alertmanager")),
        f"--config.file={folder}/alertmanager.yml",
        f"--storage.path={folder}/alertmanager",
        f"--web.listen-address={address}",
        "--cluster.listen-address=",
    ]


@contextlib.contextmanager
def _program(name: str, command: Sequence[str], folder: Path) -> Iterator[None]:
    with (folder / f"{name}.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=folder)
        try:
            yield
        finally:
            process.terminate()
            process.wait(timeout=20)


def _ready(port: int) -> None:
    for _ in range(100):
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/-/ready", timeout=2).close()
            return
        time.sleep(0.2)
    raise TimeoutError(f"nothing answers on {port}")
