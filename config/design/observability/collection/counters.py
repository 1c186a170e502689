"""The counters file of dcgm-exporter: which fields of DCGM it shows, from the metric table.

It replaces the exporter's own file, which leaves ECC and XID counts out. Lines have exactly three fields; a
field that the exporter does not know keeps it from starting, and one that a GPU does not have is left out of
what it shows (NVIDIA/dcgm-exporter:internal/pkg/counters/counter_config.go).
"""

from __future__ import annotations

from collections.abc import Iterable

from config.catalog.observability.metrics import Metric
from config.design.observability.model import Measured
from config.design.observability.names import measured_metrics

_HEADER = "# made by ultracluster: DCGM field, type, help"


def counters(measured: Measured) -> str:
    """The file for a cluster: the fields of all its GPU architectures, and profiling where it is on."""
    return counters_file(row for row in measured_metrics(measured) if row.exporter == "dcgm")


def counters_file(rows: Iterable[Metric]) -> str:
    """The lines of these rows, in the order of the fields' names."""
    lines = sorted(f"{row.field}, {row.type}, {row.help}" for row in rows)
    return "".join(f"{line}\n" for line in (_HEADER, *lines))
