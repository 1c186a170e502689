"""docs/reference/metrics.md: every series that a cluster may have."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog.observability.metrics import LABELS, Exporter, Metric, metrics
from scripts.tools.docs.markdown import page, table, words

_INTRO = """\
What a cluster measures, under the names that queries, rules and panels of your own ask for. Counters file,
scrape settings, alerts and dashboards are generated from this table: none of them names what nothing shows.

- A series of a node has the labels {node},
  one of the whole cluster {cluster}; labels of the exporter are beside them. What exporters call their
  host is thrown away.
- Under Kubernetes no other series is kept. Under Slurm all that an exporter shows are, except what exporters
  say of themselves (`go_`, `process_`, `promhttp_`).
- *of*: the GPU architectures that have it; none: all. *profiling*: with `observability.collection.profiling`
  alone. *scripts*: written by ultracluster's scripts on nodes, and so neither on Bottlerocket nor where nodes
  of HyperPod run scripts of yours alone.
- Metrics of file systems come from CloudWatch once in five minutes, and so late.
- A training job shows what begins with `train_`: [observability.md](../observability.md) says where."""

_TITLES = {
    "dcgm": "GPUs: DCGM's exporter",
    "node": "Nodes: node_exporter, and files of ultracluster's scripts",
    "slurm-native": "Slurm 25.11 and newer, by its controller",
    "slurm-exporter": "Slurm, by an exporter",
    "kube-state": "Kubernetes: kube-state-metrics",
    "kueue": "Queues: Kueue",
    "fsx": "FSx for Lustre: CloudWatch, by YACE",
    "application": "Training jobs",
    "agent": "Whoever collects",
    "rules": "Whoever evaluates rules",
}


def metrics_page() -> str:
    """A section for each exporter."""
    labels = {scope: words(found) for scope, found in LABELS.items()}
    return page("Metrics", _INTRO.format(**labels), *_sections())


def _sections() -> Iterator[str]:
    for name, exporter in metrics().exporters.items():
        rows = metrics().of(name)
        yield f"## {_TITLES[name]}"
        yield "\n".join(_facts(exporter))
        yield table(("metric", "type", "what it is", "labels", "only"), [_row(row, exporter) for row in rows])


def _facts(exporter: Exporter) -> Iterator[str]:
    if exporter.job:
        version = f"version {exporter.version}, " if exporter.version else ""
        runs = "on each node" if exporter.scope == "node" else "once in a cluster"
        yield f"- {version}{runs}, port {exporter.port}, label `job` is `{exporter.job}`"
    if exporter.labels or exporter.optional_labels:
        at_times = f"; at times {words(exporter.optional_labels)}" if exporter.optional_labels else ""
        yield f"- labels of all: {words(exporter.labels)}{at_times}"
    if exporter.note:
        yield f"- {exporter.note}"


def _row(row: Metric, exporter: Exporter) -> tuple[str, ...]:
    own = [label for label in row.labels if label not in exporter.labels]
    only = [
        *([f"of {', '.join(row.architectures)}"] if row.architectures else []),
        *([row.needs] if row.needs else []),
    ]
    return (f"`{row.name}`", row.type, row.help, words(own), ", ".join(only) or "-")
