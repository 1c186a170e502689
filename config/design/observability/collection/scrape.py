"""How exporters of a Kubernetes cluster are found and asked, by AMP's collector or by Prometheus as an agent.

Exporters of nodes are asked at every node that should have them, by the node's own address: one that does not
run is then seen to be down, where a search for its pods would find nothing. Each series is given one `node`;
what exporters call their host is taken away (OBS-03), and only series of the metric table are kept.

AMP's collector knows no names of services, and no way to sign in but that of its own token
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
"""Where exporters run in a cluster."""

SCRAPER_LEAST_S = 30
"""AMP's collector asks no more often."""

SCRAPER_MOST_BYTES = 256 * 1024
"""How large the configuration of AMP's collector may be."""

PORT_ANNOTATION = "ultracluster/metrics-port"
"""Pods with it are asked at that port."""

TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token"
_FSX_LEAST_S = 60

Relabelling = Mapping[str, Any]
Job = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """What is asked for beside what is measured: the port of applications, and the file systems' ids."""

    application_port: int
    file_system_ids: tuple[str, ...]


def scraper_configuration(measured: Measured, targets: Targets) -> dict[str, Any]:
    """The configuration of AMP's collector; `external_labels` tell the cluster."""
    interval_s = max(SCRAPER_LEAST_S, measured.interval_s)
    return _configuration(measured, targets, interval_s, attach=False)


def agent_configuration(
    measured: Measured, targets: Targets, remote_write: Mapping[str, Any]
) -> dict[str, Any]:
    """The configuration of Prometheus in agent mode in the cluster."""
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
    """The job with nothing but the series of the table, each under the labels that are kept."""
    own = job.pop("metric_relabel_configs", [])
    return {**job, "metric_relabel_configs": [kept_series(measured, exporter), *own]}


def kept_series(measured: Measured, exporter: str) -> Relabelling:
    """The rule of relabelling that keeps the series of the metric table, and all that jobs call `train_`."""
    if exporter == "application":
        return _kept("train_.+", "__name__")
    rows = (row for row in measured_metrics(measured) if row.exporter == exporter)
    return _kept("|".join(sorted(name for row in rows for name in row.series)), "__name__")


WITHOUT_HOST_NAMES: Relabelling = {"regex": "[Hh]ostname", "action": "labeldrop"}
"""Exporters' own names of hosts: another version of dcgm-exporter writes another one (OBS-03)."""


def _dcgm(exporter: Exporter, measured: Measured) -> Job:
    types = "|".join(nodes.instance_type.replace(".", r"\.") for nodes in measured.gpu_nodes)
    further = [_kept(types, "instance_type")]
    return {**_at_nodes(exporter, further), "metric_relabel_configs": [WITHOUT_HOST_NAMES]}


def _at_nodes(exporter: Exporter, further: Iterable[Relabelling]) -> Job:
    """A job that asks at every node, by its address; names of HyperPod's types are EC2's after `ml.`."""
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
    """Pods that declare the port or name another one in an annotation; `attach`: nodes' labels are known."""
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
    """A job that asks the pods of one program at the exporter's port; series get no label of the pod."""
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
    """Kueue shows its metrics to whoever may get `/metrics`, under a certificate that it signs itself."""
    return {
        **_pods(exporter, "kueue-system", "kueue"),
        "scheme": "https",
        "authorization": {"type": "Bearer", "credentials_file": TOKEN},
        "tls_config": {"insecure_skip_verify": True},
        # of two managers one leads, and the other repeats it
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
