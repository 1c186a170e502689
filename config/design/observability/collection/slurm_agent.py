"""Configuration of the Prometheus agent on a Slurm node, which scrapes only the exporters of that node.

An agent on each node needs no inbound port and no service discovery. HyperPod nodes are in the service's
account, where service discovery does not find them. The node replaces each `@NAME@` with a value. Each scrape
job is one line. The line ends with the nodes that run the job, and every other node removes the line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from config.catalog.observability.metrics import metrics
from config.design.observability.collection.fsx import own_file_systems
from config.design.observability.model import SlurmMetrics
from config.profile.observability.metrics import (
    Authentication,
    NoAuthentication,
    SecretAuthentication,
    Sigv4Authentication,
)

PASSWORD_FILE = "/run/credentials/ultracluster-prometheus.service/password"
"""File in which systemd stores the credential that the unit loads (https://www.freedesktop.org/software/systemd/man/systemd.exec.html)."""

_NODE_LABELS = {"node": "@NODE@", "instance_type": "@INSTANCE_TYPE@", "group": "@GROUP@"}
_SLOWEST_S = 60
"""Minimum interval: Slurm recommends 60 to 120 s (https://slurm.schedmd.com/metrics.html), and CloudWatch has
one value per minute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """Settings that the agents of one cluster share.

    `gpus`: some nodes have GPUs. `fsx`: one node collects CloudWatch metrics of file systems.
    """

    cluster: str
    region: str
    interval_s: int
    authentication: Authentication
    application_port: int
    gpus: bool
    slurm: SlurmMetrics
    fsx: bool


def agent_text(settings: AgentSettings) -> str:
    """Return the configuration template for nodes; JSON is valid YAML and has a fixed form."""
    lines = [
        "# Metrics that a node of this cluster collects and sends. The node replaces values between @.",
        f"global: {_line(_global(settings))}",
        f"remote_write: {_line([_remote_write(settings)])}",
        "scrape_configs:",
    ]
    lines += [f"- {_line(job)} # {where}" for where, job in _jobs(settings)]
    return "\n".join(lines) + "\n"


def _line(value: object) -> str:
    return json.dumps(value)


def _global(settings: AgentSettings) -> Mapping[str, Any]:
    return {
        "scrape_interval": f"{settings.interval_s}s",
        "scrape_timeout": f"{min(settings.interval_s, 10)}s",
        "external_labels": {"cluster": settings.cluster},
    }


def _remote_write(settings: AgentSettings) -> Mapping[str, Any]:
    """Return the remote write settings; two connections are enough for the few thousand series of a node."""
    return {
        "url": "@URL@",
        **_signed(settings),
        "remote_timeout": "30s",
        "queue_config": {
            "capacity": 10000,
            "max_shards": 2,
            "max_samples_per_send": 2000,
            "batch_send_deadline": "5s",
            "min_backoff": "1s",
            "max_backoff": "1m",
            "retry_on_http_429": True,
        },
        # metrics of the exporters themselves
        "write_relabel_configs": [
            {"source_labels": ["__name__"], "regex": "(go|process|promhttp)_.*", "action": "drop"}
        ],
    }


def _signed(settings: AgentSettings) -> Mapping[str, Any]:
    match settings.authentication:
        case Sigv4Authentication(region=region):
            return {"sigv4": {"region": region or settings.region}}
        case SecretAuthentication():
            return {"basic_auth": {"username": "@USER@", "password_file": PASSWORD_FILE}}
        case NoAuthentication():
            return {}


def _jobs(settings: AgentSettings) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "all nodes", _of_node("node")
    if settings.gpus:
        yield "nodes with GPUs", _of_node("dcgm")
        yield "nodes with GPUs", _of_node("application", settings.application_port)
    if settings.slurm == "slurm-native":
        yield "one node", _native(settings)
    else:
        yield "one node", _of_cluster(settings, "slurm-exporter")
    if settings.fsx:
        # the exporter also returns file systems of other clusters in the Region
        kept = own_file_systems(["@FILE_SYSTEMS@"])
        yield "one node", {**_of_cluster(settings, "fsx"), "metric_relabel_configs": [kept]}


def _of_node(exporter: str, port: int | None = None) -> Mapping[str, Any]:
    """Return the job of a node exporter; its series have the labels of the node (OBS-03)."""
    found = metrics().exporters[exporter]
    return {
        "job_name": found.job,
        "metrics_path": found.path,
        "static_configs": [
            _target(f"127.0.0.1:{port or found.port}", {"instance": "@NODE@", **_NODE_LABELS})
        ],
    }


def _target(address: str, labels: Mapping[str, str]) -> Mapping[str, Any]:
    return {"targets": [address], "labels": labels}


def _slowly(settings: AgentSettings) -> Mapping[str, Any]:
    interval_s = max(settings.interval_s, _SLOWEST_S)
    return {"scrape_interval": f"{interval_s}s", "scrape_timeout": "30s"}


def _of_cluster(settings: AgentSettings, exporter: str) -> Mapping[str, Any]:
    """Return the job of a cluster-wide source; the label `replica` names the node that scrapes the source."""
    found = metrics().exporters[exporter]
    return {
        "job_name": found.job,
        "metrics_path": found.path,
        **_slowly(settings),
        "static_configs": [_target(f"127.0.0.1:{found.port}", {"instance": found.name, "replica": "@NODE@"})],
    }


def _native(settings: AgentSettings) -> Mapping[str, Any]:
    """Return the job for slurmctld, with one target for each page; the label `instance` is the page."""
    found = metrics().exporters["slurm-native"]
    return {
        "job_name": found.job,
        **_slowly(settings),
        "static_configs": [
            _target("@CONTROLLER@", {"__metrics_path__": path, "instance": name, "replica": "@NODE@"})
            for path in found.paths
            for name in [f"slurmctld{path.removeprefix('/metrics')}"]
        ],
    }
