"""Generator of docs/reference/metrics.md, the metrics of a cluster."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog.observability.metrics import LABELS, Exporter, Metric, metrics
from scripts.tools.docs.markdown import code_list, page, table

_INTRO = """\
This page lists the metrics of a cluster, with the names for your own queries, rules and panels. The counters
file, scrape settings, alerts and dashboards are generated from the same table.

- A series of a node has the labels {node}.
  A series of the whole cluster has the labels {cluster}. The labels of the exporter are added to them. Host
  names of exporters are dropped.
- With Kubernetes, other series are dropped. With Slurm, only metrics of the exporters themselves (`go_`,
  `process_`, `promhttp_`) are dropped.
- The column *only* lists conditions. *on*: only these GPU architectures have the metric. *profiling*: the
  metric requires `observability.collection.profiling`. *scripts*: our node scripts write the metric.
  They do not run on Bottlerocket, or on HyperPod nodes that run only your scripts.
- Metrics of file systems are read from CloudWatch every five minutes, and are delayed by that time.
- A training job serves the metrics that begin with `train_`, as described in
  [observability.md](../observability.md)."""

_TITLES = {
    "dcgm": "GPUs: DCGM's exporter",
    "node": "Nodes: node_exporter, and files of ultracluster's scripts",
    "slurm-native": "Slurm 25.11 and newer: controller",
    "slurm-exporter": "Slurm: exporter",
    "kube-state": "Kubernetes: kube-state-metrics",
    "kueue": "Queues: Kueue",
    "fsx": "FSx for Lustre: CloudWatch metrics, read by YACE",
    "application": "Training jobs",
    "agent": "Collector",
    "rules": "Prometheus rules",
}


def metrics_page() -> str:
    """Return the page, with a section for each exporter."""
    labels = {scope: code_list(found) for scope, found in LABELS.items()}
    return page("Metrics", _INTRO.format(**labels), *_sections())


def _sections() -> Iterator[str]:
    for name, exporter in metrics().exporters.items():
        rows = metrics().of(name)
        yield f"## {_TITLES[name]}"
        yield "\n".join(_facts(exporter))
        yield table(
            ("metric", "type", "description", "labels", "only"), [_row(row, exporter) for row in rows]
        )


def _facts(exporter: Exporter) -> Iterator[str]:
    if exporter.job:
        version = f"Version {exporter.version}. " if exporter.version else ""
        runs = "on each node" if exporter.scope == "node" else "once in each cluster"
        yield f"- {version}Runs {runs}, on port {exporter.port}. The label `job` is `{exporter.job}`."
    if exporter.labels or exporter.optional_labels:
        optional = f" Optional: {code_list(exporter.optional_labels)}." if exporter.optional_labels else ""
        yield f"- Labels of all metrics: {code_list(exporter.labels)}.{optional}"
    if exporter.note:
        yield f"- {exporter.note}"


def _row(row: Metric, exporter: Exporter) -> tuple[str, ...]:
    own = [label for label in row.labels if label not in exporter.labels]
    only = [
        *([f"on {', '.join(row.architectures)}"] if row.architectures else []),
        *([row.needs] if row.needs else []),
    ]
    return (f"`{row.name}`", row.type, row.help, code_list(own), ", ".join(only) or "-")
