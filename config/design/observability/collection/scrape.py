"""Scrape configuration for exporters in a Kubernetes cluster, for the AMP managed collector or the agent.

Node exporters are scraped on each node that should have them, by the node's address. An exporter that does
not run is then reported as down, while a search for its pods would not find it. Each series has one label
`node`. Host names of exporters are dropped (OBS-03), and only series of the metric table are kept.

The AMP managed collector cannot resolve service names, and can authenticate only with its own token
(https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-collector-how-to.html).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from config.catalog.observability.metrics import Exporter, metrics
from config.design.observability.collection.fsx import own_file_systems
from config.design.observability.model import Measured
from config.design.observability.names import measured_metrics

NAMESPACE = "monitoring"
"""Namespace of the exporters."""

SCRAPER_LEAST_S = 30
"""Minimum interval of the AMP managed collector."""

SCRAPER_MOST_BYTES = 256 * 1024
"""Maximum size of the configuration of the AMP managed collector."""

PORT_ANNOTATION = "ultracluster/metrics-port"
"""Annotation with the port on which a pod is scraped."""

TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token"
_FSX_LEAST_S = 60

Relabelling = Mapping[str, Any]
Job = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """Scrape targets that the metric table lacks: the applications' port and the file systems' ids."""

    application_port: int
    file_system_ids: tuple[str, ...]


def scraper_configuration(measured: Measured, targets: Targets) -> dict[str, Any]:
    """Return the configuration of the AMP managed collector; `external_labels` has the cluster's name."""
    interval_s = max(SCRAPER_LEAST_S, measured.interval_s)
    return _configuration(measured, targets, interval_s, attach=False)


def agent_configuration(
    measured: Measured, targets: Targets, remote_write: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the configuration of Prometheus in agent mode in the cluster."""
    return {
        **_configuration(measured, targets, measured.interval_s, attach=True),
        "remote_write": [{**remote_write, "queue_config": _QUEUE}],
    }


_QUEUE = {"max_samples_per_send": 1000, "max_shards": 200, "capacity": 2500}
"""https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-onboard-ingest-metrics-new-Prometheus.html."""


def _configuration(measured: Measured, targets: Targets, interval_s: int, *, attach: bool) -> dict[str, Any]:
    jobs: Mapping[str, Callable[[Exporter], Job]] = {
        "node": lambda exporter: _at_nodes(exporter, ()),
        "dcgm": lambda exporter: _dcgm(exporter, measured),
        "application": lambda exporter: _application(exporter, targets.application_port, attach=attach),
        "kube-state": lambda exporter: _pods(exporter, NAMESPACE, "kube-state-metrics"),
        "kueue": _kueue,
        "fsx": lambda exporter: _fsx(exporter, targets, interval_s),
    }
    exporters = metrics().exporters
    return {
        "global": {"scrape_interval": f"{interval_s}s", "external_labels": {"cluster": measured.cluster}},
        "scrape_configs": [
            _with_kept(make(exporters[name]), measured, name)
            for name, make in jobs.items()
            if name in measured.exporters
        ],
    }


def _with_kept(job: Job, measured: Measured, exporter: str) -> Job:
    """Return the job with a rule that keeps only series of the metric table."""
    own = job.pop("metric_relabel_configs", [])
    return {**job, "metric_relabel_configs": [kept_series(measured, exporter), *own]}


def kept_series(measured: Measured, exporter: str) -> Relabelling:
    """Return the relabelling rule that keeps series of the metric table, and all `train_` series of jobs."""
    if exporter == "application":
        return _kept("train_.+", "__name__")
    rows = (row for row in measured_metrics(measured) if row.exporter == exporter)
    return _kept("|".join(sorted(name for row in rows for name in row.series)), "__name__")


WITHOUT_HOST_NAMES: Relabelling = {"regex": "[Hh]ostname", "action": "labeldrop"}
"""Rule that drops host names of exporters, whose label depends on the version of dcgm-exporter (OBS-03)."""


def _dcgm(exporter: Exporter, measured: Measured) -> Job:
    types = "|".join(nodes.instance_type.replace(".", r"\.") for nodes in measured.gpu_nodes)
    further = [_kept(types, "instance_type")]
    return {**_at_nodes(exporter, further), "metric_relabel_configs": [WITHOUT_HOST_NAMES]}


def _at_nodes(exporter: Exporter, further: Iterable[Relabelling]) -> Job:
    """Return a job that scrapes every node by its address, and removes `ml.` from HyperPod instance types."""
    return {
        "job_name": exporter.job,
        "kubernetes_sd_configs": [{"role": "node"}],
        "relabel_configs": [
            _from("__meta_kubernetes_node_address_InternalIP", "__address__", f"$1:{exporter.port}"),
            _from("__meta_kubernetes_node_name", "node"),
            *_of_node_labels(),
            *further,
        ],
    }


def _of_node_labels() -> tuple[Relabelling, ...]:
    label = "__meta_kubernetes_node_label_"
    return (
        {
            "source_labels": [f"{label}node_kubernetes_io_instance_type"],
            "regex": r"(?:ml\.)?(.+)",
            "target_label": "instance_type",
        },
        _from(f"{label}ultracluster_group", "group"),
    )


def _from(source: str, target: str, replacement: str = "$1") -> Relabelling:
    return {"source_labels": [source], "regex": "(.+)", "replacement": replacement, "target_label": target}


def _kept(regex: str, *sources: str) -> Relabelling:
    return {"source_labels": [*sources], "regex": regex, "action": "keep"}


def _application(exporter: Exporter, port: int, *, attach: bool) -> Job:
    """Return a job for pods with the application port or the annotation; `attach`: add the node's labels."""
    pod, annotation = "__meta_kubernetes_pod_", PORT_ANNOTATION.replace("/", "_").replace("-", "_")
    search = {"role": "pod", **({"attach_metadata": {"node": True}} if attach else {})}
    return {
        "job_name": exporter.job,
        "kubernetes_sd_configs": [search],
        "relabel_configs": [
            _kept(f"true;.*|;{port}", f"{pod}annotationpresent_{annotation}", f"{pod}container_port_number"),
            _kept("Running", f"{pod}phase"),
            {
                "source_labels": [f"{pod}ip", f"{pod}annotation_{annotation}"],
                "regex": r"(.+);(\d+)",
                "replacement": "$1:$2",
                "target_label": "__address__",
            },
            _from(f"{pod}node_name", "node"),
            *(_of_node_labels() if attach else ()),
        ],
    }


def _pods(exporter: Exporter, namespace: str, name: str) -> Job:
    """Return a job that scrapes the pods of one program on the exporter's port, without labels of the pod."""
    pod = "__meta_kubernetes_pod_"
    return {
        "job_name": exporter.job,
        "kubernetes_sd_configs": [{"role": "pod", "namespaces": {"names": [namespace]}}],
        "relabel_configs": [
            _kept(
                f"{name};{exporter.port}", f"{pod}label_app_kubernetes_io_name", f"{pod}container_port_number"
            ),
            _kept("Running", f"{pod}phase"),
        ],
    }


def _kueue(exporter: Exporter) -> Job:
    """Return the job for Kueue, which requires permission for `/metrics` and signs its own certificate."""
    return {
        **_pods(exporter, "kueue-system", "kueue"),
        "scheme": "https",
        "authorization": {"type": "Bearer", "credentials_file": TOKEN},
        "tls_config": {"insecure_skip_verify": True},
        # with two managers, the follower repeats the metrics of the leader
        "metric_relabel_configs": [
            {"source_labels": ["replica_role"], "regex": "follower", "action": "drop"},
        ],
    }


def _fsx(exporter: Exporter, targets: Targets, interval_s: int) -> Job:
    return {
        **_pods(exporter, NAMESPACE, "cloudwatch-exporter"),
        "scrape_interval": f"{max(_FSX_LEAST_S, interval_s)}s",
        "metric_relabel_configs": [own_file_systems(targets.file_system_ids)],
    }
